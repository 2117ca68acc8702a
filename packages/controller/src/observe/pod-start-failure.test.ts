import { describe, expect, it } from 'vitest'
import type { PodObject } from './pod-object.ts'
import { helperCrashOf, latestProgress, startFailureOfPod } from './pod-start-failure.ts'

const start = Date.parse('2026-11-22T08:00:00Z')
const time = (second: number) => new Date(start + second * 1_000).toISOString()
const at = (second: number) => start + second * 1_000
const probe = { initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 6 }

function pod(status: object, initContainers: object[] = []): PodObject {
  return { metadata: { name: 'linux-1', namespace: 'ci' }, spec: { initContainers }, status } as unknown as PodObject
}
const running = (second: number) => ({ running: { startedAt: time(second) } })
const crashed = (from: number, to: number, exitCode = 3, more = {}) => ({
  terminated: { exitCode, reason: 'Error', startedAt: time(from), finishedAt: time(to), ...more },
})
const sidecar = (more: object = {}) => ({ name: 'db', restartPolicy: 'Always', ...more })
const status = (more: object) => ({ initContainerStatuses: [{ name: 'db', ...more }] })
const backOff = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container' } }

describe('the cause that holds a start up', () => {
  it.each<[string, PodObject, object | undefined]>([
    [
      'an init container that runs',
      pod(status({ state: running(3) }), [{ name: 'db' }]),
      {
        reason: 'start-under-way',
        message: 'init container db runs',
        since: at(3),
        step: { allowedMs: undefined, late: 'init-hangs' },
      },
    ],
    [
      'a sidecar within its startup probe, and one period more',
      pod(status({ started: false, state: running(3) }), [sidecar({ startupProbe: probe })]),
      { reason: 'start-under-way', since: at(3), step: { allowedMs: 75_000, late: 'sidecar-not-ready' } },
    ],
    [
      'a sidecar with the defaults of a probe',
      pod(status({ started: false, state: running(3) }), [sidecar({ startupProbe: {} })]),
      { step: { allowedMs: 40_000, late: 'sidecar-not-ready' } },
    ],
    [
      'a sidecar that waits to be started again',
      pod(status({ started: false, restartCount: 4, state: backOff, lastState: crashed(1, 2) }), [sidecar()]),
      {
        reason: 'helper-crashes',
        message: 'container db: exit code 3 (Error), 4 restarts; kubectl -n ci logs linux-1 -c db --previous',
      },
    ],
    [
      'a sidecar that runs again, before its probe has succeeded',
      pod(
        status({ started: false, restartCount: 1, state: running(9), lastState: crashed(1, 2, 139, { signal: 11 }) }),
        [sidecar({ startupProbe: probe })],
      ),
      { reason: 'helper-crashes', message: expect.stringContaining('container db: signal 11 (Error), 1 restart;') },
    ],
    [
      'a sidecar that the kubelet restarted when its probe had used up its time',
      pod(status({ started: false, restartCount: 1, state: running(70), lastState: crashed(2, 67, 137) }), [
        sidecar({ startupProbe: probe }),
      ]),
      { reason: 'sidecar-not-ready', message: expect.stringContaining('container db: exit code 137') },
    ],
    [
      'an init container that failed finally',
      pod({ phase: 'Failed', ...status({ state: crashed(1, 2, 7) }) }, [{ name: 'db' }]),
      { reason: 'init-failed', message: 'container db: exit code 7' },
    ],
    [
      'a condition of the scheduler',
      pod({
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes', lastTransitionTime: time(4) }],
      }),
      { reason: 'unschedulable', message: '0/3 nodes', since: at(4) },
    ],
    ['nothing, once it is scheduled', pod({ conditions: [{ type: 'PodScheduled', status: 'True' }] }), undefined],
    [
      'nothing, before the scheduler has tried',
      pod({ conditions: [{ type: 'PodScheduled', status: 'Unknown' }] }),
      undefined,
    ],
    ['nothing, between two init containers', pod(status({ state: crashed(1, 2, 0) }), [{ name: 'db' }]), undefined],
    ['nothing, if a sidecar has started', pod(status({ started: true, state: running(2) }), [sidecar()]), undefined],
  ])('%s', (_name, given, failure) => {
    if (failure) expect(startFailureOfPod(given, at(0))).toMatchObject(failure)
    else expect(startFailureOfPod(given, at(0))).toBeUndefined()
  })
})

describe('the last step of a start', () => {
  it.each<[string, object, number]>([
    ['an init container that began', status({ state: running(30) }), 30],
    ['an init container that ended', status({ state: crashed(1, 40, 0) }), 40],
    ['no restart', status({ restartCount: 1, state: running(50) }), 0],
    ...['PodScheduled', 'PodReadyToStartContainers', 'Initialized'].map((type): [string, object, number] => [
      `the condition ${type}`,
      { conditions: [{ type, status: 'True', lastTransitionTime: time(20) }] },
      20,
    ]),
    [
      'no condition that is false',
      { conditions: [{ type: 'Initialized', status: 'False', lastTransitionTime: time(20) }] },
      0,
    ],
  ])('is %s', (_name, given, second) => {
    expect(latestProgress(pod(given), at(0))).toBe(at(second))
  })
})

describe('a container that crashes beside the runner', () => {
  const looping = { state: backOff, restartCount: 3, lastState: crashed(1, 2) }
  it.each([
    ['a sidecar', { initContainerStatuses: [{ name: 'db', ...looping }] }, true],
    ['an ordinary container', { containerStatuses: [{ name: 'db', ...looping }] }, true],
    ['not the runner itself', { containerStatuses: [{ name: 'runner', ...looping }] }, false],
    ['not one that runs again', { containerStatuses: [{ name: 'db', ...looping, state: running(9) }] }, false],
  ])('is %s', (_name, given, found) => {
    expect(helperCrashOf(pod(given), 'runner', at(0)) !== undefined).toBe(found)
  })
})
