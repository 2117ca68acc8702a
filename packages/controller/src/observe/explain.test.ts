import { describe, expect, it } from 'vitest'
import { explainPod } from './explain.ts'
import { observePod } from './pod-facts.ts'
import type { EventObject, PodCondition, PodObject } from './pod-object.ts'

const event = (reason: string, message: string, minute: number): EventObject => ({
  reason,
  message,
  firstTimestamp: `2026-11-22T08:0${minute}:00Z`,
  lastTimestamp: `2026-11-22T08:0${minute}:30Z`,
})
const at = (minute: number) => Date.parse(`2026-11-22T08:0${minute}:00Z`)

const deletionTimestamp = '2026-11-22T08:09:00Z'
const waiting = [{ name: 'runner', state: { waiting: { reason: 'ContainerCreating' } } }]
const hooked = [{ name: 'runner', lifecycle: { postStart: { exec: {} } } }]

function pod(over: Partial<PodObject['status']>, metadata: object = {}, containers: object[] = []): PodObject {
  const spec = { nodeName: 'n1', containers }
  return { metadata: { name: 'a', namespace: 'ci', ...metadata }, spec, status: over } as unknown as PodObject
}

describe('a slow start', () => {
  it('is explained by the latest Event that names a cause', () => {
    const events = [event('FailedMount', 'no volume', 1), event('FailedCreatePodSandBox', 'no network', 3)]
    const since = at(3)
    expect(explainPod(events, pod({}))).toEqual({ reason: 'sandbox-failed', message: 'no network', since })
  })

  it('is explained by a hook that has not returned', () => {
    const events = [event('Started', 'Started container runner', 2)]
    const cause = explainPod(events, pod({ containerStatuses: waiting }, {}, hooked))
    expect(cause).toMatchObject({ reason: 'hook-hangs', message: expect.stringContaining('Started container runner') })
    expect(explainPod(events, pod({ containerStatuses: waiting }))).toBeUndefined()
  })

  it.each([['FailedMount'], ['FailedCreatePodSandBox']])(
    'is no longer explained by %s once a container has begun, also in the same second',
    (failed) => {
      for (const begun of ['Pulled', 'Created']) {
        expect(explainPod([event(failed, 'not yet', 2), event(begun, 'container "a"', 2)], pod({}))).toBeUndefined()
      }
      const pull = [event(failed, 'not yet', 2), event('Pulling', 'Pulling image "a"', 2)]
      expect(explainPod(pull, pod({}))).toMatchObject({ reason: 'start-under-way' })
      const events = [event(failed, 'not yet', 2), event('Started', 'Started container runner', 2)]
      const hung = pod({ containerStatuses: waiting }, {}, hooked)
      expect(explainPod(events, hung)).toMatchObject({ reason: 'hook-hangs' })
      expect(explainPod([...events, event(failed, 'again', 3)], hung)).toMatchObject({ message: 'again' })
    },
  )

  it.each<[string, readonly EventObject[], string | undefined]>([
    ['a pull that is open', [event('Pulling', 'Pulling image "a:1"', 1)], 'a:1'],
    [
      'the second pull',
      [
        event('Pulling', 'Pulling image "a:1"', 1),
        event('Pulled', 'Successfully pulled image "a:1" in 9s', 2),
        event('Pulling', 'Pulling image "b:1"', 2),
      ],
      'b:1',
    ],
    [
      'a pull that began again after a failure',
      [event('Failed', 'Failed to pull image "a:1"', 1), event('Pulling', 'Pulling image "a:1"', 2)],
      'a:1',
    ],
    [
      'no pull that has ended, also in the same second',
      [event('Pulling', 'Pulling image "a:1"', 1), event('Pulled', 'Successfully pulled image "a:1" in 9ms', 1)],
      undefined,
    ],
    ['no image that was there', [event('Pulled', 'Container image "a:1" already present on machine', 1)], undefined],
  ])('is explained by %s', (_, events, image) => {
    const cause = explainPod(events, pod({ containerStatuses: waiting }))
    expect(cause?.message).toBe(image && `the node pulls the image ${image}`)
    if (image) expect(cause).toMatchObject({ reason: 'start-under-way', step: { late: 'image-slow' } })
  })

  it('is explained by a silent node', () => {
    const cause = explainPod([event('NodeNotReady', 'Node is not ready', 1)], pod({}))
    expect(cause).toMatchObject({ reason: 'node-lost' })
  })
})

describe('a stuck end', () => {
  const disrupted = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }]
  const finalizers = ['acme.com/keep']
  it.each<[string, string | undefined, readonly EventObject[], PodObject]>([
    ...['Failed', 'Succeeded'].map((phase): [string, string, readonly EventObject[], PodObject] => [
      `a finalizer of a pod that has ended: ${phase}`,
      'finalizer-left',
      [event('FailedKillPod', 'timeout', 1)],
      pod({ phase: phase as 'Failed' }, { finalizers }),
    ]),
    ['a preStop hook that failed', 'kill-failed', [event('FailedPreStopHook', 'x', 1)], pod({ phase: 'Running' })],
    [
      'a silent node, although a finalizer is left',
      'node-lost',
      [event('NodeNotReady', 'Node is not ready', 2), event('Killing', 'Stopping container', 1)],
      pod({ phase: 'Running' }, { finalizers }),
    ],
    ['a node that was taken away', 'node-lost', [], pod({ phase: 'Running', conditions: disrupted })],
    [
      'a node that was silent once, and has reported since',
      undefined,
      [event('NodeNotReady', 'Node is not ready', 1), event('Killing', 'Stopping container', 2)],
      pod({ phase: 'Running' }),
    ],
    [
      'a hook that has not returned',
      'hook-hangs',
      [event('Started', 'Started container runner', 1)],
      pod({ phase: 'Pending', containerStatuses: waiting }, {}, hooked),
    ],
    [
      'a container that does not stop',
      'kill-failed',
      [event('FailedKillPod', 'timeout', 1)],
      pod({ phase: 'Running' }),
    ],
    ['a finalizer, and nothing else', 'finalizer-left', [], pod({ phase: 'Running' }, { finalizers })],
    ['nothing', undefined, [event('Killing', 'Stopping container', 1)], pod({ phase: 'Running' })],
  ])('has the cause of %s', (_what, reason, events, given) => {
    const deleted = { ...given, metadata: { ...given.metadata, deletionTimestamp } }
    const cause = explainPod(events, deleted)
    expect(cause?.reason).toBe(reason)
    if (cause) expect(cause.since).toBe(at(9))
  })
})

describe('a silent node', () => {
  const owner = [{ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', name: 's', uid: 'u' }]
  const ours = { labels: { 'dayfly.dev/set': 's' }, ownerReferences: owner }
  const silentSince = (ready: object, containersReady: string, phase: 'Running' | 'Pending' = 'Running') => {
    const conditions = [
      { type: 'ContainersReady', status: containersReady },
      { type: 'Ready', lastTransitionTime: '2026-11-22T08:01:00Z', ...ready },
    ] as PodCondition[]
    return observePod(pod({ phase, conditions }, ours))?.facts.nodeSilentSince
  }

  it('is seen in a pod that is not ready although its containers are', () => {
    expect(silentSince({ status: 'False' }, 'True')).toBe(at(1))
  })

  it('is not seen in a pod that is ready, stops, starts, or waits for a readiness gate', () => {
    expect(silentSince({ status: 'True' }, 'True')).toBeUndefined()
    expect(silentSince({ status: 'False' }, 'False')).toBeUndefined()
    expect(silentSince({ status: 'False' }, 'True', 'Pending')).toBeUndefined()
    expect(silentSince({ status: 'False', reason: 'ReadinessGatesNotReady' }, 'True')).toBeUndefined()
  })
})
