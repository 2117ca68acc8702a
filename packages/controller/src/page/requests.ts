// The requests of one runner pod of a set, as the page counts them.

import type { Requests } from '@dayfly/dashboard/model/life'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { podResourceOf } from '../observe/pod-resources.ts'

/** Returns null if no container requests anything: what the pod costs is then unknown. */
export function requestsOf(set: RunnerSet): Requests | null {
  const cpu = podResourceOf(set, 'cpu').request
  const memory = podResourceOf(set, 'memory').request
  return cpu === undefined && memory === undefined ? null : { cpu: cpu ?? 0, memoryGib: (memory ?? 0) / 1_024 ** 3 }
}
