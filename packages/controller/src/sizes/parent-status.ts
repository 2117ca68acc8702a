// The status of a set with sizes: the sum of its sizes, and the first of them that is not ready.
import type { Instant } from '@dayfly/kit/clock'
import { isJsonObject, type JsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import { timestamp } from '@dayfly/kit/timestamp'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { camelCase, sentenceOf } from '@dayfly/runner-set/core/report'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

const sums = ['demand', 'idle', 'busy', 'pending', 'failed'] as const

type Ready = { readonly status: string; readonly reason: string; readonly message: string }

export type ParentStatus = {
  readonly observedGeneration: number
  readonly lastReason: string | null
  readonly lastMessage: string | null
  readonly conditions: readonly (Ready & { readonly type: 'Ready'; readonly observedGeneration: number })[]
} & Readonly<Record<(typeof sums)[number], number | null>>

export type SizesState = {
  /** The causes that keep sizes from being made, by the name of their RunnerSets. */
  readonly failures: readonly { readonly set: string; readonly failure: Failure }[]
  /** Every size is as the set wants it. */
  readonly isDone: boolean
}

export function parentStatus(
  { parent, set }: { readonly parent: KubeObject; readonly set: RunnerSet },
  children: readonly KubeObject[],
  { failures, isDone }: SizesState,
): ParentStatus {
  const statuses = children.map(statusOf)
  // Unknown is never zero, and no size is known before it exists.
  const sum = (field: string) => {
    const counts = statuses.map((status) => status[field])
    const known = counts.filter((count) => typeof count === 'number')
    const isWhole = known.length === counts.length && counts.length >= (set.sizes?.length ?? 0)
    return isWhole ? known.reduce((total, count) => total + count, 0) : null
  }
  const [failed] = failures
  const observedGeneration = isDone && children.every(isRead) ? set.generation : readGeneration(parent)
  return {
    observedGeneration,
    ...(Object.fromEntries(sums.map((field) => [field, sum(field)])) as Record<(typeof sums)[number], number | null>),
    lastReason: failed?.failure.reason ?? null,
    lastMessage: failed ? `${failed.set}: ${failed.failure.message}` : null,
    conditions: [{ type: 'Ready', ...readyOf(set, children, failures), observedGeneration }],
  }
}

/** The set is read when each of its sizes has read its own change. */
function isRead(child: KubeObject): boolean {
  return statusOf(child)['observedGeneration'] === child.metadata.generation
}

function readGeneration(parent: KubeObject): number {
  const { observedGeneration: read } = statusOf(parent)
  return typeof read === 'number' ? read : 0
}

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {}
}

function readyOf({ sizes = [] }: RunnerSet, children: readonly KubeObject[], failures: SizesState['failures']): Ready {
  const [failed] = failures
  if (failed) {
    const { reason, message } = failed.failure
    return { status: 'False', reason: camelCase(reason), message: `${failed.set}: ${sentenceOf(reason, message)}` }
  }
  for (const { set } of sizes) {
    const child = children.find(({ metadata }) => metadata.name === set)
    const ready = child && conditionOf(child, 'Ready')
    if (!ready) return { status: 'Unknown', reason: 'Starting', message: `${set}: Dayfly makes this RunnerSet.` }
    if (ready.status !== 'True') return { ...ready, message: `${set}: ${ready.message}` }
  }
  return {
    status: 'True',
    reason: 'Ready',
    message: `All ${sizes.length} sizes are ready: ${sizes.map(({ set }) => set).join(', ')}.`,
  }
}

function conditionOf(object: KubeObject, type: string): Ready | undefined {
  const found = listAt(object['status'], 'conditions').find((condition) => textAt(condition, 'type') === type)
  const [status, reason, message] = ['status', 'reason', 'message'].map((field) => textAt(found, field) ?? '')
  return found && status ? { status, reason: reason ?? '', message: message ?? '' } : undefined
}

/** Returns the status with the times of its conditions. A condition keeps its time while its state stays. */
export function withTimes(status: ParentStatus, stored: unknown, now: Instant): object {
  const conditions = status.conditions.map((condition) => {
    const before = listAt(stored, 'conditions').find((one) => textAt(one, 'type') === condition.type)
    const since = textAt(before, 'status') === condition.status ? textAt(before, 'lastTransitionTime') : undefined
    return { ...condition, lastTransitionTime: since ?? timestamp(now) }
  })
  return { ...status, conditions }
}
