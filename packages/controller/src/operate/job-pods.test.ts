import type { KubeObject } from '@dayfly/kubernetes/types'
import { expect, it } from 'vitest'
import { observeJobPod } from '../observe/job-pod.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { withJobPods } from './job-pods.ts'

const now = Date.parse('2026-01-01T00:10:00Z')
const runner = { phase: 'busy', sentences: ['It has a job.'], problem: undefined } as const

function explain(status: object) {
  const metadata = { name: 'r-workflow', namespace: 'ci', uid: 'u', labels: { 'runner-pod': 'r' } }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, status } as KubeObject
  const jobPod = observeJobPod(pod as unknown as PodObject)
  return withJobPods(runner, jobPod ? [jobPod] : [], { startMaxMs: 600_000, now })
}

const condition = {
  type: 'PodScheduled',
  status: 'False',
  message: '0/1 nodes',
  lastTransitionTime: '2026-01-01T00:08:00Z',
}
const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-01-01T00:09:30Z' }
const byKubelet = {
  reason: 'Terminated',
  message: 'm',
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
}

it.each([
  ['runs', { phase: 'Running' }, 'Its job has the pod r-workflow.', undefined],
  [
    'is not scheduled yet',
    { phase: 'Pending', conditions: [condition] },
    'The pod r-workflow of its job starts, for 2 min: 0/1 nodes',
    undefined,
  ],
  [
    'is not scheduled in time',
    { phase: 'Pending', conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:04:00Z' }] },
    'The pod r-workflow of its job does not start, for 6 min.',
    'unschedulable',
  ],
  [
    'ended before the job',
    { phase: 'Failed', containerStatuses: [{ name: 'job', state: { terminated } }] },
    'The pod r-workflow of its job ended 30 s ago, before the job.',
    'out-of-memory',
  ],
  [
    'ended before the job, by its kubelet',
    { phase: 'Failed', ...byKubelet, containerStatuses: [{ name: 'job', state: { terminated } }] },
    'The pod r-workflow of its job ended 30 s ago, before the job.',
    'node-shutdown',
  ],
])('an explanation of a runner shows that the pod of its job %s', (_, status, sentence, reason) => {
  const { sentences, problem } = explain(status)
  expect(sentences).toEqual(['It has a job.', sentence])
  expect(problem?.reason).toBe(reason)
})
