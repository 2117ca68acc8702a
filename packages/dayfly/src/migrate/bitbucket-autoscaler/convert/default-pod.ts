// The pod that Dayfly builds without a template. The caller passes it, so that this room does not know its contents.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'

/** The parts of a PodSpec that the conversion compares with. */
export type DefaultPod = { readonly runner: JsonObject; readonly docker: JsonObject; readonly spec: JsonObject }

/** The names of the containers in a RunnerSet's template. */
export const runnerName = 'runner'
export const dockerName = 'docker'

/** @param spec the spec of a pod with a Docker sidecar */
export function readDefaultPod(spec: JsonObject): DefaultPod {
  return { runner: named(spec['containers'], runnerName), docker: named(spec['initContainers'], dockerName), spec }
}

function named(containers: unknown, name: string): JsonObject {
  return listOf(containers).find((container) => container['name'] === name) ?? {}
}

export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** Compares JSON values. The order of keys does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]))
}

/** Returns whether the value sets nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
