// Reads the fields of nodes and pods that the node controllers share.
import { field, isObject } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'

export type Fields = Readonly<Record<string, unknown>>

export function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function conditionOf(object: StoredObject, type: string): Fields | undefined {
  return objects(field(object, 'status', 'conditions')).find((condition) => condition['type'] === type)
}

export function taintsOf(node: StoredObject): readonly Fields[] {
  return objects(field(node, 'spec', 'taints'))
}

/** The name of the pod's node. Empty if it has none. */
export function nodeOf(pod: StoredObject): string {
  const node = field(pod, 'spec', 'nodeName')
  return typeof node === 'string' ? node : ''
}
