// The values of a YAML 1.1 document. They keep the difference between 2 and 2.0, which Python writes differently.

/** A date that the document does not quote. */
export type Timestamp = { readonly timestamp: string }

/** An integer is a bigint, and a float is a number. */
export type Scalar = null | boolean | bigint | number | string | Timestamp

export type Mapping = ReadonlyMap<string, Value>
export type Value = Scalar | readonly Value[] | Mapping

export function isMapping(value: unknown): value is Mapping {
  return value instanceof Map
}

export function isTimestamp(value: unknown): value is Timestamp {
  return typeof value === 'object' && value !== null && 'timestamp' in value
}

/** Returns the value as JSON has it. A date becomes its text, and members that are null are left out: Kubernetes reads both the same. */
export function plainOf(value: Value): unknown {
  if (Array.isArray(value)) return value.map((item: Value) => plainOf(item))
  if (isMapping(value)) {
    const members = [...value].filter(([, item]) => item !== null)
    return Object.fromEntries(members.map(([key, item]) => [key, plainOf(item)]))
  }
  if (isTimestamp(value)) return value.timestamp
  return typeof value === 'bigint' ? Number(value) : value
}

/** Returns the path of a member: `groups[0].labels`. A name with other characters is in brackets. */
export function below(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Returns the paths of all scalars, and of lists and maps that are empty. */
export function leavesOf(value: Value, path: string): readonly string[] {
  const members = membersOf(value, path)
  return members.length === 0 ? [path] : members.flatMap(([at, member]) => leavesOf(member, at))
}

function membersOf(value: Value, path: string): readonly (readonly [string, Value])[] {
  if (Array.isArray(value)) return value.map((item: Value, index) => [below(path, index), item] as const)
  if (isMapping(value)) return [...value].map(([key, item]) => [below(path, key), item] as const)
  return []
}
