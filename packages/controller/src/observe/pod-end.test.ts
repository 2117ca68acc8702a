import type { FailureReason } from '@dayfly/runner-set/model/failure'
import { describe, expect, it } from 'vitest'
import { disruptionOf, endOf } from './pod-end.ts'
import type { PodObject } from './pod-object.ts'

const createdAt = Date.parse('2026-11-22T08:00:00Z')
const at = (minute: number) => createdAt + minute * 60_000
const time = (minute: number) => new Date(at(minute)).toISOString()

function pod(status: PodObject['status']): PodObject {
  return { metadata: { name: 'a' }, status } as unknown as PodObject
}

function disrupted(reason: string, message = 'm'): PodObject['status'] {
  const lastTransitionTime = time(3)
  return { conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime }] }
}

describe('a disruption of a pod', () => {
  it.each<[string, FailureReason, number]>([
    ['EvictionByEvictionAPI', 'evicted', at(3)],
    // The kubelet writes the condition after the end, so its time does not say when the disruption began.
    ['TerminationByKubelet', 'evicted', createdAt],
    ['PreemptionByScheduler', 'preempted', at(3)],
    ['DeletionByTaintManager', 'node-lost', at(3)],
    ['DeletionByPodGC', 'node-lost', at(3)],
  ])('is named by the condition: %s', (said, reason, since) => {
    const message = `${said}: m`
    expect(disruptionOf(pod({ phase: 'Running', ...disrupted(said) }), createdAt)).toEqual({ reason, message, since })
  })

  it.each<[string, FailureReason]>([
    ['Evicted', 'evicted'],
    ['Preempting', 'preempted'],
    ['Terminated', 'node-shutdown'],
    ['NodeShutdown', 'node-shutdown'],
    ['Shutdown', 'node-shutdown'],
    ['NodeLost', 'node-lost'],
    ['OutOfcpu', 'node-refused'],
    ['OutOfmemory', 'node-refused'],
    ['OutOfpods', 'node-refused'],
    ['OutOfephemeral-storage', 'node-refused'],
    ['OutOfnvidia.com/gpu', 'node-refused'],
    ['UnexpectedAdmissionError', 'node-refused'],
    ['NodeAffinity', 'node-refused'],
    ['NodePorts', 'node-refused'],
    ['TopologyAffinityError', 'node-refused'],
    ['PodOSNotSupported', 'node-refused'],
    ['DeadlineExceeded', 'deadline-exceeded'],
  ])("the kubelet's own reason %s and sentence are kept, before the condition", (said, reason) => {
    const message = `${said}: The node was low on resource: memory.`
    const status = { phase: 'Failed', reason: said, message: 'The node was low on resource: memory.' } as const
    expect(disruptionOf(pod(status), createdAt)).toEqual({ reason, message, since: createdAt })
    const both = { ...disrupted('TerminationByKubelet', 'x'), ...status }
    expect(disruptionOf(pod(both), createdAt)).toEqual({ reason, message, since: createdAt })
  })

  it.each<[string, PodObject['status']]>([
    [
      'a condition that is false',
      { conditions: [{ type: 'DisruptionTarget', status: 'False', reason: 'EvictionByEvictionAPI' }] },
    ],
    ['an unknown reason', disrupted('Unheard')],
    ['no status', undefined],
  ])('is not %s', (_name, status) => {
    expect(disruptionOf(pod(status), createdAt)).toBeUndefined()
  })
})

describe('how a pod ended', () => {
  const terminated = { exitCode: 143, reason: 'Error', finishedAt: time(5) }
  const runner = { name: 'runner', state: { terminated } }

  it('takes the end of the runner container', () => {
    expect(endOf(pod({ phase: 'Failed', reason: 'Evicted' }), runner, createdAt)).toMatchObject({
      exitCode: 143,
      reason: 'Error',
      at: at(5),
    })
  })

  it('names a helper that exceeded its memory limit', () => {
    const docker = { name: 'docker', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }
    const status = { initContainerStatuses: [docker], containerStatuses: [runner] }
    expect(endOf(pod(status), runner, createdAt)).toMatchObject({ reason: 'Error', killedHelper: 'docker' })
  })

  it.each([
    [
      'failed',
      { phase: 'Failed', reason: 'OutOfcpu', message: 'no cpu' },
      { exitCode: -1, reason: 'OutOfcpu: no cpu' },
    ],
    ['failed without a word', { phase: 'Failed' }, { exitCode: -1, reason: 'Unknown' }],
    ['succeeded', { phase: 'Succeeded' }, { exitCode: 0, reason: 'Unknown' }],
  ] as const)('takes the end of a pod that %s without a container', (_name, status, end) => {
    expect(endOf(pod(status), undefined, createdAt)).toEqual({ ...end, at: createdAt })
  })

  it('knows no end of a pod that may run', () => {
    expect(endOf(pod({ phase: 'Running' }), { name: 'runner', state: { running: {} } }, createdAt)).toBeUndefined()
  })
})
