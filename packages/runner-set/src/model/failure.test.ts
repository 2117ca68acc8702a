import { expect, it } from 'vitest'
import { failureInfo, reasonOfContainer, reasonOfEnd, reasonOfEvent } from './failure.ts'
import { failures } from './failure-table.ts'

it.each([
  ['container', reasonOfContainer('InvalidImageName'), 'image-invalid', 'never'],
  // Another node may have the image: one such node must not stop the set.
  ['container', reasonOfContainer('ErrImageNeverPull'), 'image-missing', 'backoff'],
  ['container', reasonOfContainer('ImagePullBackOff'), 'image-missing', 'backoff'],
  ['container', reasonOfContainer('StartError'), 'command-missing', 'backoff'],
  ['event', reasonOfEvent('FailedMount'), 'volume-failed', 'backoff'],
  ['end', reasonOfEnd('OOMKilled'), 'out-of-memory', 'backoff'],
] as const)('the reason of a %s is %s', (_source, reason, expected, retry) => {
  expect(reason).toBe(expected)
  expect(failureInfo(expected).retry.is).toBe(retry)
})

it('knows no reason for a container that is only slow', () => {
  expect([reasonOfContainer('ContainerCreating'), reasonOfContainer(undefined), reasonOfEvent('Pulled')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('gives each word of the cluster to one reason only', () => {
  for (const column of ['containerReasons', 'eventReasons', 'endReasons'] as const) {
    const words = Object.values<{ readonly [key: string]: unknown }>(failures).flatMap(
      (row) => (row[column] ?? []) as string[],
    )
    expect(new Set(words).size).toBe(words.length)
  }
})
