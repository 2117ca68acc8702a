// Deployments, ReplicaSets and their pods, as their controllers read them. The API server has validated stored objects.
import { createHash } from 'node:crypto'
import type { Clock } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { integer, isObject, type JsonObject, list, objectAt } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'

/** Returns the wanted number of replicas. */
export function replicasOf(object: StoredObject): number {
  return integer(object, 'spec', 'replicas')
}

type Condition = {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Returns the conditions with these. A time changes only with its condition. */
export function withConditions(object: StoredObject, wanted: readonly Condition[], clock: Clock): readonly object[] {
  const known = list(object, 'status', 'conditions').filter(isObject)
  const now = timestamp(clock.now())
  return wanted.map((condition) => {
    const before = known.find(({ type }) => type === condition.type)
    const same = before?.['status'] === condition.status && before['reason'] === condition.reason
    if (same && before['message'] === condition.message) return before
    const since = before?.['status'] === condition.status ? before['lastTransitionTime'] : now
    return { ...condition, lastUpdateTime: now, lastTransitionTime: since }
  })
}

/** Returns the template of a ReplicaSet without the label that distinguishes its pods. */
export function templateOf(object: StoredObject): JsonObject {
  const template = objectAt(object, 'spec', 'template')
  const metadata = objectAt(template, 'metadata')
  const { [hashLabel]: _, ...labels } = objectAt(metadata, 'labels')
  return { ...template, metadata: { ...metadata, labels } }
}

export const hashLabel = 'pod-template-hash'

/** Returns a short hash of a template for the names of what is made from it. */
export function templateHash(template: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10)
}
