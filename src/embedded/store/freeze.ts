// Stored objects are shared by all readers, so they are frozen.

/** Freezes a JSON value deeply. Skips frozen parts: every part of a stored object is frozen all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
