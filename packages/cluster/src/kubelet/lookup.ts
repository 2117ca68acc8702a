// Reads Secrets, ConfigMaps and downward API fields for a pod. A missing object is named, so that the kubelet can wait for it.
import type { Registry } from '../api/registry.ts'
import { isObject } from '../api/values/json.ts'
import type { Pod } from './pod.ts'
import { hostAddress, podAddress } from './pod-address.ts'

export type Source = 'secrets' | 'configmaps'

/** A missing object whose creation may let the container or volume be made. */
export type AwaitedObject = { readonly resource: Source; readonly name: string }

/**
 * The reason why a container or a volume cannot be made, in the kubelet's words. It has no stack: a Secret often follows
 * its pod, so most pods have such an error, and it is never a fault of this program.
 */
export class ConfigError extends Error {
  /** Undefined if no new object can help. */
  readonly awaited: AwaitedObject | undefined

  constructor(message: string, awaited?: AwaitedObject) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ConfigError'
    this.awaited = awaited
  }
}

const singular = { secrets: 'secret', configmaps: 'configmap' } as const

/** Returns the object's data by key, or undefined if it is missing and optional. Throws a `ConfigError`. */
export function readData(
  registry: Registry,
  namespace: string,
  wanted: AwaitedObject & { readonly optional?: boolean | undefined },
): ReadonlyMap<string, Uint8Array> | undefined {
  const { resource, name, optional } = wanted
  const object = registry.get(resource, namespace, name)
  if (!object) {
    if (optional) return undefined
    throw new ConfigError(`${singular[resource]} "${name}" not found`, { resource, name })
  }
  const data = new Map<string, Uint8Array>()
  const encoding = resource === 'secrets' ? 'base64' : 'utf8'
  for (const [key, value] of entries(object['data'])) data.set(key, Buffer.from(value, encoding))
  for (const [key, value] of entries(object['binaryData'])) data.set(key, Buffer.from(value, 'base64'))
  return data
}

function entries(value: unknown): readonly [string, string][] {
  return isObject(value) ? Object.entries(value).map(([key, text]) => [key, String(text)]) : []
}

/** Returns the value of a downward API field. Throws a `ConfigError` if this cluster does not support the field. */
export function readField(pod: Pod, path: string): string {
  const { metadata, spec } = pod
  const [, kind, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? []
  if (key !== undefined) return (kind === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? ''
  switch (path) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace
    case 'metadata.uid':
      return metadata.uid
    case 'metadata.labels':
      return lines(metadata.labels)
    case 'metadata.annotations':
      return lines(metadata.annotations)
    case 'spec.nodeName':
      return spec.nodeName ?? ''
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? 'default'
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostAddress
    case 'status.podIP':
    case 'status.podIPs':
      return podAddress(pod)
    default:
      throw new ConfigError(`unsupported fieldPath: ${path}`)
  }
}

function lines(values: Readonly<Record<string, string>> = {}): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n')
}
