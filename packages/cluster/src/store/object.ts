// Stored objects: their shape, their key, and freezing. All readers share them, so they are frozen plain JSON.

export type OwnerReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export type ObjectMeta = {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly unknown[]
}

export type StoredObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/**
 * The key of a kind: its plural, followed by the group unless it is the core group. Examples: `pods`,
 * `leases.coordination.k8s.io`.
 */
export type ResourceKey = string

/** Returns the key of an object within its kind: `namespace/name`, or the name alone. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** Freezes a JSON value deeply. Skips frozen parts: every part of a stored object is frozen all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') deepFreeze(item)
    return value
  }
  // Each write freezes: a list of the members would be garbage at once.
  for (const name in value) if (typeof value[name] === 'object') deepFreeze(value[name])
  return value
}
