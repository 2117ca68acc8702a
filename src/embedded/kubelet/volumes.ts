// Reads the content of a pod's volumes as plain files. Volume types that this cluster does not support are refused by name.
import type { Registry } from '../api/registry.ts'
import type { Volume, VolumeFile } from '../runtime/runtime.ts'
import { ConfigError, readData, readField, type Source } from './lookup.ts'
import type { FileSource, KeyToPath, Pod, PodVolume } from './pod.ts'

const defaultMode = 0o644

/** Returns every volume by name. Throws a `ConfigError` with the kubelet's message for the first volume that cannot be made. */
export function readVolumes(registry: Registry, pod: Pod): ReadonlyMap<string, Volume> {
  const volumes = new Map<string, Volume>()
  for (const volume of pod.spec.volumes ?? []) {
    try {
      volumes.set(volume.name, { name: volume.name, files: readVolume(registry, pod, volume) })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw new ConfigError(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`, error.awaited)
    }
  }
  return volumes
}

function readVolume(registry: Registry, pod: Pod, volume: PodVolume): readonly VolumeFile[] {
  if (volume.emptyDir) return []
  if (volume.projected) {
    const { sources = [], defaultMode: mode = defaultMode } = volume.projected
    return sources.flatMap((source) => readSource(registry, pod, source, mode))
  }
  const mode = modeOf(volume.secret) ?? modeOf(volume.configMap) ?? modeOf(volume.downwardAPI) ?? defaultMode
  return readSource(registry, pod, volume, mode)
}

function modeOf(source: object | undefined): number | undefined {
  return (source as { readonly defaultMode?: number } | undefined)?.defaultMode
}

function readSource(registry: Registry, pod: Pod, source: FileSource, mode: number): readonly VolumeFile[] {
  const { secret, configMap, downwardAPI } = source
  const { namespace } = pod.metadata
  const keys = (resource: Source, name: string, part: { items?: readonly KeyToPath[]; optional?: boolean }) => {
    const data = readData(registry, namespace, { resource, name, optional: part.optional })
    return data ? pick(data, { resource, name, items: part.items, optional: part.optional, mode }) : []
  }
  if (secret) return keys('secrets', secret.secretName ?? secret.name ?? '', secret)
  if (configMap) return keys('configmaps', configMap.name, configMap)
  if (downwardAPI) {
    return (downwardAPI.items ?? []).map(({ path, fieldRef }) => {
      if (!fieldRef) throw new ConfigError('resourceFieldRef is not supported by the embedded cluster')
      return { path, data: Buffer.from(readField(pod, fieldRef.fieldPath)), mode }
    })
  }
  const kind = Object.keys(source).find((field) => field !== 'name') ?? 'this volume'
  throw new ConfigError(
    `${kind} is not supported by the embedded cluster: use emptyDir, secret, configMap, downwardAPI or projected`,
  )
}

type Picked = {
  readonly resource: Source
  readonly name: string
  readonly items: readonly KeyToPath[] | undefined
  readonly optional: boolean | undefined
  readonly mode: number
}

function pick(data: ReadonlyMap<string, Uint8Array>, { resource, name, items, optional, mode }: Picked): VolumeFile[] {
  if (!items) return [...data].map(([path, bytes]) => ({ path, data: bytes, mode }))
  return items.flatMap(({ key, path, mode: own }) => {
    const bytes = data.get(key)
    if (bytes) return [{ path, data: bytes, mode: own ?? mode }]
    if (optional) return []
    const kind = resource === 'secrets' ? 'secret' : 'config'
    throw new ConfigError(`references non-existent ${kind} key: ${key}`, { resource, name })
  })
}
