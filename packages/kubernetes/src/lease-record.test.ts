import { expect, test } from 'vitest'
import { heldLease, newLease, readLease, releasedLease } from './lease-record.ts'

const hold = { holder: 'one', durationMs: 15_000, at: 0, labels: { 'dayfly.dev/watches': 'ci' } }

test('a new lease has the labels of its holder', () => {
  const { metadata } = newLease({ namespace: 'dayfly', name: 'dayfly-ci' }, hold)
  expect(metadata).toEqual({ namespace: 'dayfly', name: 'dayfly-ci', labels: { 'dayfly.dev/watches': 'ci' } })
})

test('a holder adds its labels to those of a prepared lease, and they stay when it gives the lease back', () => {
  const labels = { 'app.kubernetes.io/name': 'dayfly', 'dayfly.dev/watches': 'before' }
  const metadata = { namespace: 'dayfly', name: 'dayfly-ci', labels }
  const prepared = readLease({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata })
  const both = { 'app.kubernetes.io/name': 'dayfly', 'dayfly.dev/watches': 'ci' }
  const held = heldLease(prepared, hold)
  expect(held.metadata.labels).toEqual(both)
  expect(releasedLease(readLease(held), 1).metadata.labels).toEqual(both)
})
