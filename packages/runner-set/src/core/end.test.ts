import { expect, it } from 'vitest'
import type { FailureReason } from '../model/failure.ts'
import type { ContainerEnd, PodFacts, Runner } from '../model/runner.ts'
import { disruptionAwaitedUntil, failureOfEnd } from './end.ts'
import { job, limits, now, podFacts, runner, runnerSet } from './world.fixture.ts'

const end = (exitCode: number, reason = 'Error'): ContainerEnd => ({ exitCode, reason, at: now })
const startFailure = { reason: 'init-failed', message: 'm', since: now } as const
const disrupted = { reason: 'evicted', message: 'EvictionByEvictionAPI', since: now - 5_000 } as const
const { createdAt } = podFacts()
const untimed: ContainerEnd = { ...end(-1, 'Unknown'), at: createdAt }
const over = { ...job, finished: { result: 'succeeded', at: now } }
const ofJob = (result: string, at: number) => ({ job: { ...job, finished: { result, at } } })
const ending = { because: { kind: 'surplus' }, answer: 'unasked', failures: 0, retryAt: undefined } as const
const unseen = runner('a', {}, { pod: { is: 'requested', since: now } })

it.each<[string, Runner, ContainerEnd, FailureReason | undefined]>([
  ['exit code 0', runner('a'), end(0, 'Completed'), undefined],
  ['a deletion of ours', runner('a', {}, { deleted: true }), end(143), undefined],
  ['an end while we remove it', runner('a', {}, { ending }), end(1), undefined],
  ['an end while we remove it, with a job', runner('a', {}, { ending, job }), end(1), 'runner-failed'],
  ['a deletion by another client', runner('a', { deletionDeadline: now }), end(143), 'pod-vanished'],
  ['a start that failed', runner('a', { startFailure }), end(1), 'init-failed'],
  ['an end whose reason is known', runner('a'), end(137, 'OOMKilled'), 'out-of-memory'],
  ['the exit code of a refused version', runner('a'), end(7), 'runner-outdated'],
  ['any other exit code', runner('a'), end(1), 'runner-failed'],
  ['an eviction before the end', runner('a', { disrupted }), end(143), 'evicted'],
  ['an eviction before an end in order', runner('a', { disrupted }), end(0, 'Completed'), 'evicted'],
  ['an eviction, also of a deleted pod', runner('a', { disrupted, deletionDeadline: now }), end(143), 'evicted'],
  ['an eviction, and a job that succeeded', runner('a', { disrupted }, { job: over }), end(0, 'Completed'), undefined],
  ['an eviction that cancels the job', runner('a', { disrupted }, ofJob('canceled', now)), end(0), 'evicted'],
  ['an eviction as the job fails', runner('a', { disrupted }, ofJob('failed', disrupted.since)), end(0), 'evicted'],
  ['an eviction after the job', runner('a', { disrupted }, ofJob('failed', disrupted.since - 1)), end(0), undefined],
  ['an eviction at the time of the end', runner('a', { disrupted: { ...disrupted, since: now } }), end(143), 'evicted'],
  ['an eviction after the end', runner('a', { disrupted: { ...disrupted, since: now + 1 } }), end(0), undefined],
  ['an eviction, and an end whose time is unknown', runner('a', { disrupted }), untimed, 'evicted'],
  ['an eviction after a deletion of ours', runner('a', { disrupted }, { deleted: true }), end(143), undefined],
  ['a helper without memory', runner('a'), { ...end(1), killedHelper: 'docker' }, 'out-of-memory'],
  ['a pod that never ran', runner('a'), end(-1, 'Unknown'), 'start-unexplained'],
  ['the end of a pod that was never seen', unseen, end(1), 'runner-failed'],
])('%s', (_name, given, ended, reason) => {
  expect(failureOfEnd(given, ended, runnerSet())?.reason).toBe(reason)
})

it.each([
  ['any other exit code', end(1), /^exit code 1 \(Error\); kubectl -n ci logs a -c runner$/],
  ['an end without memory', end(137, 'OOMKilled'), /^container runner: exit code 137/],
  ['a helper without memory', { ...end(1), killedHelper: 'docker' }, /^container docker; .*exit code 1/],
  ['a pod that never ran', end(-1, 'Unknown: m'), /^the pod failed before it ran \(Unknown: m\)$/],
])('says what to look at: %s', (_name, ended, message) => {
  expect(failureOfEnd(runner('a'), ended, runnerSet())?.message).toMatch(message)
})

it('knows the exit code of a refused version from the forge of the set', () => {
  const bitbucket = { ...runnerSet(), source: { ...runnerSet().source, kind: 'bitbucket' } } as const
  expect(failureOfEnd(runner('a'), end(7), bitbucket)?.reason).toBe('runner-failed')
  expect(failureOfEnd(runner('a'), end(7), undefined)?.reason).toBe('runner-failed')
})

it.each<[string, Partial<PodFacts>, Partial<Runner>, boolean]>([
  ['an end in order of a runner with a job that is open', { end: end(0) }, { job }, true],
  ['an end in order, and a job that was cancelled', { end: end(0) }, ofJob('canceled', now), true],
  ['an end in order, and a job that succeeded', { end: end(0) }, ofJob('succeeded', now), false],
  ['an end in order without a job', { end: end(0) }, {}, false],
  ['any other exit code', { end: end(143) }, {}, true],
  ['any other exit code after a job that succeeded', { end: end(143) }, ofJob('succeeded', now), true],
  ['no end', {}, { job }, false],
  ['the last status', { end: end(143), finished: true }, { job }, false],
  ['a disruption that is named', { end: end(143), disrupted }, { job }, false],
])('a status may still name a disruption: %s', (_name, facts, over, awaited) => {
  const pod = podFacts({ finished: false, ...facts })
  const until = awaited ? now + limits.lateStatusMs : undefined
  expect(disruptionAwaitedUntil(runner('a', {}, over), pod, limits)).toBe(until)
})
