// Reads the content of a pod's volumes as plain files. Volume types that this cluster does not support are refused by name.
import type { Tokens } from '../api/tokens.ts'
import type { Volume, VolumeFile } from '../runtime/runtime.ts'
import type { KubeletContext } from './context.ts'
import { ConfigError, readData, readField, type Source } from './lookup.ts'
import type { FileSource, KeyToPath, Pod, PodVolume } from './pod.ts'
import { readResource } from './resource-field.ts'

const defaultMode = 0o644

type Cluster = Pick<KubeletContext, 'registry' | 'access'>

/** Returns every volume by name. Throws a `ConfigError` with the kubelet's message for the first volume that cannot be made. */
export function readVolumes(from: Cluster, pod: Pod): ReadonlyMap<string, Volume> {
  const volumes = new Map<string, Volume>()
  for (const volume of pod.spec.volumes ?? []) {
    try {
      volumes.set(volume.name, { name: volume.name, files: readVolume(from, pod, volume) })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw new ConfigError(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`, error.awaited)
    }
  }
  return volumes
}

function readVolume(from: Cluster, pod: Pod, volume: PodVolume): readonly VolumeFile[] {
  if (volume.emptyDir) return []
  if (volume.projected) {
    const { sources = [], defaultMode: mode = defaultMode } = volume.projected
    return sources.flatMap((source) => readSource(from, pod, source, mode))
  }
  const mode = modeOf(volume.secret) ?? modeOf(volume.configMap) ?? modeOf(volume.downwardAPI) ?? defaultMode
  return readSource(from, pod, volume, mode)
}

function modeOf(source: object | undefined): number | undefined {
  return (source as { readonly defaultMode?: number } | undefined)?.defaultMode
}

function readSource({ registry, access }: Cluster, pod: Pod, source: FileSource, mode: number): readonly VolumeFile[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source
  const { namespace } = pod.metadata
  const keys = (resource: Source, name: string, part: { items?: readonly KeyToPath[]; optional?: boolean }) => {
    const data = readData(registry, namespace, { resource, name, optional: part.optional })
    return data ? pick(data, { resource, name, items: part.items, optional: part.optional, mode }) : []
  }
  if (secret) return keys('secrets', secret.secretName ?? secret.name ?? '', secret)
  if (configMap) return keys('configmaps', configMap.name, configMap)
  if (serviceAccountToken) return [tokenFile(access.tokens, pod, serviceAccountToken, mode)]
  if (downwardAPI) {
    return (downwardAPI.items ?? []).map(({ path, fieldRef, resourceFieldRef, mode: own = mode }) => {
      const value = resourceFieldRef
        ? readResource(registry, pod, resourceFieldRef)
        : readField(pod, fieldRef?.fieldPath ?? '')
      return { path, data: Buffer.from(value), mode: own }
    })
  }
  const kind = Object.keys(source).find((field) => field !== 'name') ?? 'this volume'
  throw new ConfigError(
    `${kind} is not supported by the embedded cluster: use emptyDir, secret, configMap, downwardAPI or projected`,
  )
}

/** The lifetime of the token that every pod gets: one year, as in Kubernetes, although the volume says 3607 seconds. */
const ordinary = { asked: 3607, given: 365 * 24 * 3600 }

type TokenSource = NonNullable<FileSource['serviceAccountToken']>

function tokenFile(tokens: Tokens, pod: Pod, source: TokenSource, mode: number): VolumeFile {
  const { namespace, name, uid } = pod.metadata
  const { audience, expirationSeconds = 3600, path } = source
  const seconds = expirationSeconds === ordinary.asked ? ordinary.given : expirationSeconds
  const account = pod.spec.serviceAccountName ?? 'default'
  const audiences = audience === undefined || audience === '' ? undefined : [audience]
  const issued = tokens.issue({ namespace, account, audiences, seconds, pod: { name, uid } })
  if (issued) return { path, data: Buffer.from(issued.token), mode }
  throw new ConfigError(`failed to fetch token: serviceaccounts "${account}" not found`)
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
