import { expect, it } from 'vitest'
import type { JobPod, JobRunner } from '../model/job-pod.ts'
import { failureOfJobPod, type JobPodStep, jobPodStep } from './job-pod.ts'
import { ended, now, podFacts } from './world.fixture.ts'

const pod: JobPod = {
  namespace: 'ci',
  name: 'linux-a-workflow',
  uid: 'job',
  runner: 'linux-a',
  owners: [],
  secrets: [],
  isDeleting: false,
  progressedAt: now,
  startCause: undefined,
  endFailure: undefined,
}
const runner = (over: Partial<JobRunner> = {}): JobRunner => ({
  set: { name: 'linux', startMaxMs: 600_000 },
  pod: podFacts({ uid: 'runner' }),
  isGone: false,
  ...over,
})
const gone = { pod: undefined, isGone: true }

it.each<[string, Partial<JobPod>, Partial<JobRunner>, JobPodStep]>([
  ['of a running runner is adopted', {}, {}, 'adopt'],
  ['that another object owns, such as a Job, keeps its owner', { owners: ['other'] }, {}, 'none'],
  ['that its runner owns is left alone', { owners: ['runner'] }, {}, 'none'],
  ['that is being deleted is left alone', { isDeleting: true }, {}, 'none'],
  ['of a runner that has ended is removed', { owners: ['runner'] }, { pod: podFacts({ end: ended }) }, 'remove'],
  ['of a runner that is certainly gone is removed', {}, gone, 'remove'],
  ['of a gone runner that owned it is left to the garbage collector', { owners: ['runner'] }, gone, 'none'],
  ['of a runner that is perhaps not listed yet is left alone', {}, { pod: undefined }, 'none'],
])('a pod %s', (_, ofPod, ofRunner, step) => {
  expect(jobPodStep({ ...pod, ...ofPod }, runner(ofRunner))).toBe(step)
})

it('shows an end at once, and a cause or a step after the time that the start of a runner has for it', () => {
  const missing = { reason: 'image-missing', message: 'x', since: now } as const
  const step = {
    reason: 'start-under-way',
    message: 'y',
    since: now,
    step: { allowedMs: undefined, late: 'init-hangs' },
  } as const
  const endFailure = { reason: 'evicted', message: 'z', since: now } as const
  const shown = (over: Partial<JobPod>) => failureOfJobPod({ ...pod, ...over }, 600_000)
  expect(shown({})).toBeUndefined()
  expect(shown({ startCause: missing })).toEqual({ failure: missing, dueAt: now + 30_000 })
  expect(shown({ startCause: step })).toMatchObject({ failure: { reason: 'init-hangs' }, dueAt: now + 600_000 })
  expect(shown({ startCause: missing, endFailure })).toEqual({ failure: endFailure, dueAt: now })
})
