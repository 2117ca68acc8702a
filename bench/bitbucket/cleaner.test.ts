// The conformance cases of the official cleaner, with the ids of the reference.
import { expect, test } from 'vitest'
import { isCleanable } from './cleaner.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const step = { uuid: '{s}' }

test.each([
  ['K01 an offline one is deleted', { status: 'OFFLINE' }, true],
  ['K02 an offline one that changed 100 s ago is kept', { status: 'OFFLINE', seconds: 100 }, false],
  ['K03 an online one is kept', { status: 'ONLINE' }, false],
  ['K05 a disabled one without a step is deleted', { status: 'DISABLED' }, true],
  ['K05 a disabled one with a step is kept', { status: 'DISABLED', step }, false],
  ['K07 an unregistered one is deleted', { status: 'UNREGISTERED' }, true],
  ['K07 an unhealthy one is deleted', { status: 'UNHEALTHY' }, true],
  ['K07 an enabled one is deleted', { status: 'ENABLED' }, true],
  ['K08 an offline one with a step is deleted all the same', { status: 'OFFLINE', step }, true],
  ['K09 an offline one without the label is kept', { status: 'OFFLINE', labels: ['linux'] }, false],
  [
    'K10 an offline one of another group is deleted',
    { status: 'OFFLINE', labels: ['autoscaler.created', 'gpu'] },
    true,
  ],
] as const)('%s', (_, given, expected) => {
  const {
    status,
    seconds = 3_600,
    labels = ['autoscaler.created', 'linux'],
    ...rest
  } = given as {
    status: string
    seconds?: number
    labels?: readonly string[]
    step?: object
  }
  const state = { status, updated_on: new Date(now - seconds * 1_000).toISOString(), ...rest }
  const runner = { uuid: '{r}', labels, created_on: '2026-01-01T00:00:00Z', state }
  expect(isCleanable(runner, 300_000, now)).toBe(expected)
})
