// Stored objects are shared by every reader, so they are frozen; what was frozen before is not walked again.

/** Freezes a JSON value deeply. A frozen part is taken to be frozen all the way down, as every stored part is. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
