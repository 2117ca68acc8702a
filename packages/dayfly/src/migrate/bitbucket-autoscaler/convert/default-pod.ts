// The pod that Dayfly builds without a template. The caller passes it, so that this room does not know its contents.

export type Plain = Readonly<Record<string, unknown>>

/** The parts of a PodSpec that the conversion compares with. */
export type DefaultPod = { readonly runner: Plain; readonly docker: Plain; readonly spec: Plain }

/** The names of the containers in a RunnerSet's template. */
export const runnerName = 'runner'
export const dockerName = 'docker'

/** @param spec the spec of a pod with a Docker sidecar */
export function readDefaultPod(spec: Plain): DefaultPod {
  return { runner: named(spec['containers'], runnerName), docker: named(spec['initContainers'], dockerName), spec }
}

function named(containers: unknown, name: string): Plain {
  return listOf(containers).find((container) => container['name'] === name) ?? {}
}

export function listOf(value: unknown): readonly Plain[] {
  return Array.isArray(value) ? value.filter(isPlain) : []
}

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Compares JSON values. The order of keys does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  }
  if (!isPlain(one) || !isPlain(other)) return one === other
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]))
}

/** Returns whether the value sets nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
