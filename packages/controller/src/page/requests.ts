// The requests of one runner pod of a set, as the page counts them.

import type { Requests } from '@dayfly/dashboard/model/life'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { podResourcesOf } from '../observe/pod-resources.ts'

/** Returns null if no container requests anything: what the pod costs is then unknown. */
export function requestsOf(set: RunnerSet): Requests | null {
  const { cpu, memory } = podResourcesOf(set)
  if (cpu.request === undefined && memory.request === undefined) return null
  return { cpu: cpu.request ?? 0, memoryGib: (memory.request ?? 0) / 1_024 ** 3 }
}
