// What a pod reads from the cluster: Secrets, ConfigMaps and facts about itself. What is missing is named, so that its arrival can be awaited.
import { isObject } from '../api/json.ts'
import type { Registry } from '../api/registry.ts'
import type { Pod } from './pod.ts'

export type Source = 'secrets' | 'configmaps'

/** Names an object whose arrival would change the answer. */
export type Awaited = { readonly resource: Source; readonly name: string }

/** What keeps a container or a volume from being made, in the kubelet's words. */
export class Lacking extends Error {
  /** Undefined: nothing that arrives will help. */
  readonly awaited: Awaited | undefined

  constructor(message: string, awaited?: Awaited) {
    super(message)
    this.name = 'Lacking'
    this.awaited = awaited
  }
}

const singular = { secrets: 'secret', configmaps: 'configmap' } as const

/** The object's data by key, or undefined where it is missing and optional. Throws `Lacking`. */
export function readData(
  registry: Registry,
  namespace: string,
  wanted: Awaited & { readonly optional?: boolean | undefined },
): ReadonlyMap<string, Uint8Array> | undefined {
  const { resource, name, optional } = wanted
  const object = registry.get(resource, namespace, name)
  if (!object) {
    if (optional) return undefined
    throw new Lacking(`${singular[resource]} "${name}" not found`, { resource, name })
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

const address = '127.0.0.1'

/** The downward API's fields, as far as they mean something here. Throws `Lacking`. */
export function readField(pod: Pod, path: string): string {
  const { metadata, spec } = pod
  const [, kind, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? []
  if (key !== undefined) return (kind === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? ''
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': lines(metadata.labels),
    'metadata.annotations': lines(metadata.annotations),
    'spec.nodeName': spec.nodeName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? 'default',
    'status.hostIP': address,
    'status.hostIPs': address,
    'status.podIP': address,
    'status.podIPs': address,
  }
  const value = fields[path]
  if (value === undefined) throw new Lacking(`unsupported fieldPath: ${path}`)
  return value
}

function lines(values: Readonly<Record<string, string>> = {}): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n')
}
