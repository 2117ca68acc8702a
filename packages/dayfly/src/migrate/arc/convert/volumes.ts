// Decides which volumes of a template stay beside Dayfly's own Docker sidecar.
import { fieldsAt, isJsonObject, type JsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import { type FoundContainer, modeOf, specPath } from './containers.ts'
import type { Context } from './context.ts'

/** The volume of the work folder that Dayfly's runner and Docker share. */
const workVolume = 'dayfly-work'
const workPath = '/home/runner/_work'
/** The programs that a job's containers mount through the engine. Dayfly's pod has a volume for them, too. */
export const externalsPath = '/home/runner/externals'
/** The volumes that ARC's chart adds in the mode dind, and their names in Dayfly's pod. */
const chartVolumes: ReadonlyMap<string, string> = new Map([
  ['work', workVolume],
  ['dind-externals', 'dayfly-externals'],
])
/** Where templates put the engine's socket and its certificates for the runner. */
const enginePaths =
  /^\/(var\/run|run|var\/run\/docker|run\/docker|certs|certs\/client|certs\/ca|var\/run\/docker\.sock)\/?$/

export type Volumes = {
  readonly kept: readonly JsonObject[]
  /** Why a volume is not kept, by its name. Its mounts go with it. */
  readonly gone: ReadonlyMap<string, string>
  /** The new name of a volume. */
  readonly renamed: ReadonlyMap<string, string>
  /** The volumes that containers may mount by their old name. */
  readonly names: ReadonlySet<unknown>
}

export type Mount = { readonly container: FoundContainer; readonly name: string; readonly path: string }

export function convertVolumes(context: Context, containers: readonly FoundContainer[], hasDocker: boolean): Volumes {
  const { values, ledger } = context
  const kept: JsonObject[] = []
  const gone = new Map<string, string>()
  const renamed = new Map<string, string>()
  const mounts = containers.flatMap(mountsOf)
  for (const [index, volume] of listAt(values.root, ...specPath, 'volumes').entries()) {
    const path = [...specPath, 'volumes', index]
    const name = textAt(volume, 'name')
    if (!isJsonObject(volume) || name === undefined) {
      ledger.note('dropped', path, 'It has no name, so no container can mount it.')
      continue
    }
    const fate = hasDocker
      ? fateOf(
          volume,
          mounts.filter((mount) => mount.name === name),
        )
      : 'stays'
    if (fate === 'stays') {
      kept.push(volume)
      ledger.note('kept', path, 'spec.template.spec.volumes')
    } else if (fate === 'work') {
      renamed.set(name, workVolume)
      kept.push({ ...volume, name: workVolume })
      ledger.note(
        'changed',
        path,
        `spec.template.spec.volumes: ${workVolume}, the work folder of the runner and Docker.`,
      )
    } else {
      gone.set(name, fate)
      ledger.note('dropped', path, fate)
    }
  }
  const names = new Set(kept.map((volume) => volume['name']))
  return withChartVolumes(context, { kept, gone, renamed, names })
}

/** ARC's chart adds volumes by its mode, unless the template has them. */
function withChartVolumes(context: Context, volumes: Volumes): Volumes {
  const { kept, gone, renamed, names } = volumes
  const isDeclared = (name: string) => names.has(name) || gone.has(name) || renamed.has(name)
  if (modeOf(context) === 'dind') {
    return {
      kept,
      gone: isDeclared('dind-sock') ? gone : new Map([...gone, ['dind-sock', ofOldEngine]]),
      renamed: new Map([...[...chartVolumes].filter(([name]) => !isDeclared(name)), ...renamed]),
      names,
    }
  }
  // The pod of `jobs: pods` has the volume work.
  if (modeOf(context) !== 'kubernetes' || isDeclared('work')) return volumes
  return { kept, gone, renamed, names: new Set([...names, 'work']) }
}

function mountsOf(container: FoundContainer): readonly Mount[] {
  return listAt(container.value, 'volumeMounts').flatMap((mount) => {
    const name = textAt(mount, 'name')
    const path = textAt(mount, 'mountPath')
    return name === undefined || path === undefined ? [] : [{ container, name, path }]
  })
}

/** Returns `work` for the work folder with settings of its own, and the reason for a volume that goes. Dayfly's engine has the work folder, too. */
function fateOf(volume: JsonObject, mounts: readonly Mount[]): 'stays' | 'work' | string {
  const isWork = mounts.some(
    ({ container, path }) => container.role !== 'other' && path.replace(/\/$/, '') === workPath,
  )
  if (isWork || (volume['name'] === 'work' && mounts.length === 0)) {
    return isPlain(volume) ? `Dayfly's pod has the volume ${workVolume} at ${workPath}.` : 'work'
  }
  const isExternals = mounts.length > 0 && mounts.every(({ container, path }) => isEnginesCopy(container, path))
  if (isExternals && isPlain(volume)) return ofExternals
  const isOfEngine = mounts.length > 0 && mounts.every(({ path }) => enginePaths.test(path))
  const meetsEngine = mounts.some(({ container }) => container.role === 'engine' || container.role === 'runner')
  if (!isOfEngine || !meetsEngine || !isFolder(volume)) return 'stays'
  return ofOldEngine
}

function isEnginesCopy({ role }: FoundContainer, path: string): boolean {
  return role === 'engine' && path.replace(/\/$/, '') === externalsPath
}

const ofExternals = "Dayfly's pod with Docker has a volume for this folder."
const ofOldEngine = "It holds the old engine's socket or certificates. Dayfly's engine has a socket of its own."

function isFolder(volume: JsonObject): boolean {
  return Object.keys(volume).every((key) => key === 'name' || key === 'emptyDir')
}

/** An empty folder without settings. */
function isPlain(volume: JsonObject): boolean {
  return isFolder(volume) && Object.keys(fieldsAt(volume, 'emptyDir') ?? {}).length === 0
}

/** Returns the mounts of a container that stay, with the new names of their volumes. */
export function convertMounts(
  { ledger, isOld }: Context,
  container: FoundContainer,
  { gone, renamed, names }: Volumes,
): readonly JsonObject[] {
  return listAt(container.value, 'volumeMounts').flatMap((mount, index) => {
    const path = [...container.path, 'volumeMounts', index]
    const name = textAt(mount, 'name') ?? ''
    const why = gone.get(name)
    if (!isJsonObject(mount)) return []
    if (why !== undefined) {
      if (container.role !== 'other') ledger.note('dropped', path, why)
      else ledger.note('decide', path, 'The volume is gone. Mount dayfly-docker-socket if this container needs Docker.')
      return []
    }
    if (isOld && container.role === 'runner' && /^\/runner(\/|$)/.test(textAt(mount, 'mountPath') ?? '')) {
      ledger.note(
        'decide',
        path,
        'The old runner works below /runner, and this one below /home/runner. Change the path.',
      )
    }
    const other = renamed.get(name)
    if (other === undefined && !names.has(name)) {
      ledger.note('decide', path, 'The template has no volume of this name, so the mount is left out.')
      return []
    }
    if (other === undefined) return [mount]
    ledger.note('changed', path, `The name of the volume is ${other}.`)
    return [{ ...mount, name: other }]
  })
}
