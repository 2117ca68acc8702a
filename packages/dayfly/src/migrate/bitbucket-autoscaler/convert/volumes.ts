// Decides which volumes of a template stay. The three volumes by which runner and Docker work together are replaced by Dayfly's own.
import { isOfOneRunner, type JobTemplate } from '../job-template.ts'
import { below, isMapping, type Mapping, plainOf, type Value } from '../yaml/value.ts'
import { isEmpty } from './default-pod.ts'
import { hasOwnCommand } from './engine.ts'
import type { Ledger } from './ledger.ts'
import type { FoundContainer } from './roles.ts'

export type Volumes = {
  /** The volumes for the RunnerSet's template. */
  readonly kept: readonly unknown[]
  /** Why a volume is not kept, by its name. Its mounts go with it. */
  readonly gone: ReadonlyMap<string, string>
}

/** The paths that runner and Docker share in the official template (docs/reference/bitbucket.md#s3-3). */
const sharedPaths: ReadonlySet<string> = new Set(['/tmp', '/var/run', '/run', '/var/lib/docker/containers'])
const outputPath = '/var/lib/docker/containers'
const dataPath = '/var/lib/docker'

const ownFolders = "Dayfly's pod has its own shared folders for the runner and Docker, and their socket"
const ofOneRunner = 'it belongs to one runner, and the pods of a RunnerSet are alike'

type Source = {
  readonly template: JobTemplate
  readonly ledger: Ledger
  readonly containers: readonly FoundContainer[]
}

export function convertVolumes(volumes: Value | undefined, path: string, source: Source): Volumes {
  const kept: unknown[] = []
  const gone = new Map<string, string>()
  if (!Array.isArray(volumes)) return { kept, gone }
  for (const [index, volume] of volumes.entries() as IterableIterator<[number, Value]>) {
    const at = below(path, index)
    const name = isMapping(volume) ? volume.get('name') : undefined
    const why = isMapping(volume) ? reasonToDrop(volume, at, source) : undefined
    if (why === undefined) {
      kept.push(isMapping(volume) ? withSource(volume) : plainOf(volume))
      source.ledger.note('kept', at, volume, 'spec.template.spec.volumes')
      continue
    }
    if (typeof name === 'string') gone.set(name, why)
    source.ledger.note('dropped', at, volume, capital(why))
  }
  return { kept, gone }
}

function capital(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
}

function reasonToDrop(volume: Mapping, path: string, { template, containers }: Source): string | undefined {
  if (isOfOneRunner(template, path, volume)) return ofOneRunner
  return isShared(volume, containers) ? ownFolders : undefined
}

/** Kubernetes takes a volume without a source as an empty folder. */
function withSource(volume: Mapping): unknown {
  const plain = plainOf(volume) as Readonly<Record<string, unknown>>
  return sourcesOf(volume).length > 0 ? plain : { ...plain, emptyDir: {} }
}

function sourcesOf(volume: Mapping): readonly string[] {
  return [...volume].filter(([key, value]) => key !== 'name' && value !== null).map(([key]) => key)
}

/** An empty folder without settings that only runner and Docker mount, at the official paths. */
function isShared(volume: Mapping, containers: readonly FoundContainer[]): boolean {
  const sources = sourcesOf(volume)
  const isPlainFolder = sources.length === 0 || (sources.length === 1 && isEmpty(plainOf(volume.get('emptyDir') ?? 0n)))
  const docker = containers.find(({ role }) => role === 'docker')
  // An engine that starts by its own command opens its socket where the template has it.
  if (!isPlainFolder || !docker || hasOwnCommand(docker.value)) return false
  const mounts = containers.flatMap((container) =>
    mountsOf(container.value)
      .filter((mount) => mount.get('name') === volume.get('name'))
      .map((mount) => ({ role: container.role, path: mount.get('mountPath'), sub: mount.get('subPath') })),
  )
  // With data in another volume, the folder of the containers' output cannot be a part of Dayfly's own.
  const hasOwnData = mountsOf(docker.value).some((mount) => mount.get('mountPath') === dataPath)
  return (
    mounts.length > 0 &&
    mounts.every(({ role, path, sub }) => {
      if (role !== 'runner' && role !== 'docker') return false
      if (sub !== undefined || typeof path !== 'string') return false
      return sharedPaths.has(path) && !(path === outputPath && hasOwnData)
    })
  )
}

export function mountsOf(container: Mapping): readonly Mapping[] {
  const mounts = container.get('volumeMounts')
  return Array.isArray(mounts) ? mounts.filter(isMapping) : []
}
