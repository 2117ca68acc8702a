import { expect, it } from 'vitest'
import type { FailureReason } from '../model/failure.ts'
import type { ContainerEnd, Runner } from '../model/runner.ts'
import { failureOfEnd } from './end.ts'
import { now, runner, runnerSet } from './world.fixture.ts'

const end = (exitCode: number, reason = 'Error'): ContainerEnd => ({ exitCode, reason, at: now })
const startFailure = { reason: 'init-failed', message: 'm', since: now } as const
const unseen = runner('a', {}, { pod: { is: 'requested', since: now } })

it.each<[string, Runner, ContainerEnd, FailureReason | undefined]>([
  ['exit code 0', runner('a'), end(0, 'Completed'), undefined],
  ['a deletion of ours', runner('a', {}, { deleted: true }), end(143), undefined],
  ['a deletion by another client', runner('a', { deletionDeadline: now }), end(143), 'pod-vanished'],
  ['a start that failed', runner('a', { startFailure }), end(1), 'init-failed'],
  ['an end whose reason is known', runner('a'), end(137, 'OOMKilled'), 'out-of-memory'],
  ['the exit code of a refused version', runner('a'), end(7), 'runner-outdated'],
  ['any other exit code', runner('a'), end(1), 'runner-failed'],
  ['the end of a pod that was never seen', unseen, end(1), 'runner-failed'],
])('%s', (_name, given, ended, reason) => {
  expect(failureOfEnd(given, ended, runnerSet())?.reason).toBe(reason)
})

it('knows the exit code of a refused version from the forge of the set', () => {
  const bitbucket = { source: { ...runnerSet().source, kind: 'bitbucket' } } as const
  expect(failureOfEnd(runner('a'), end(7), bitbucket)?.reason).toBe('runner-failed')
  expect(failureOfEnd(runner('a'), end(7), undefined)?.reason).toBe('runner-failed')
})
