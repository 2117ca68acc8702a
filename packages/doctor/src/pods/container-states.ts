// Reads the states of a live pod's containers.
import type { Instant } from '@dayfly/kit/clock'
import { type JsonObject, listAt, numberAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'

export type ContainerState = {
  readonly name: string
  readonly state: 'waiting' | 'running' | 'terminated' | 'unknown'
  /** Set for a waiting or terminated container. */
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly exitCode: number | undefined
  readonly finishedAt: Instant | undefined
  readonly started: boolean
  readonly restartCount: number
}

export function containerStates(
  pod: JsonObject,
  list: 'containerStatuses' | 'initContainerStatuses',
): ContainerState[] {
  return listAt(pod, 'status', list).map((status) => {
    const state =
      (['waiting', 'running', 'terminated'] as const).find((key) => valueAt(status, 'state', key)) ?? 'unknown'
    return {
      name: textAt(status, 'name') ?? '',
      state,
      reason: textAt(status, 'state', state, 'reason'),
      message: textAt(status, 'state', state, 'message'),
      exitCode: numberAt(status, 'state', state, 'exitCode'),
      finishedAt: timeAt(status, 'state', state, 'finishedAt'),
      started: valueAt(status, 'started') === true,
      restartCount: numberAt(status, 'restartCount') ?? 0,
    }
  })
}
