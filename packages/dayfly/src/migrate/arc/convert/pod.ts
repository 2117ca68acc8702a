// Converts the pod template: the runner, Docker beside it, other containers, volumes and fields of the pod.
import { type JsonObject, listAt } from '@dayfly/kit/read-json'
import { authorityParts } from './authority.ts'
import { type FoundContainer, findContainers, isKubernetesMode, modeOf } from './containers.ts'
import type { Context } from './context.ts'
import { dockerContainer } from './default-pod.ts'
import { convertEngine } from './engine.ts'
import { convertFields } from './fields.ts'
import { convertJobPods } from './job-pods.ts'
import { convertMetadata } from './metadata.ts'
import { convertRunner, imageOf } from './runner.ts'
import { convertVariables } from './variables.ts'
import { convertMounts, convertVolumes, type Volumes } from './volumes.ts'

export type ConvertedPod = {
  readonly docker: 'none' | 'sidecar'
  /** The fields of the spec about the pods of jobs. */
  readonly jobPods: JsonObject
  readonly template: JsonObject
}

export function convertPod(context: Context): ConvertedPod {
  const containers = withoutIgnored(context, findContainers(context))
  const engine = containers.find(({ role }) => role === 'engine')
  const runner = containers.find(({ role }) => role === 'runner')
  const isDind = modeOf(context) === 'dind'
  const hasDocker = isDind || engine !== undefined
  const volumes = convertVolumes(context, containers, hasDocker)
  const externals = isDind && !copiesExternals(containers)
  noteMode(context, externals)
  const jobPods = convertJobPods(context, containers)
  const fields = convertFields(context)
  const own = convertRunner(context, runner, volumes, hasDocker)
  const sidecar = engine && convertEngine(context, engine, volumes)
  const others = (list: FoundContainer['list']) =>
    containers
      .filter((one) => one.role === 'other' && one.list === list)
      .map((one) => convertOther(context, one, volumes, runner))
  const added = externals ? externalsFor(imageOf(context, runner)) : undefined
  const docker = withExternals(sidecar, added)
  const spec = withLists(fields, {
    initContainers: [...(added ? [added.init] : []), ...others('initContainers'), ...(docker ? [docker] : [])],
    containers: inOrder(containers, own, others('containers')),
    volumes: [...volumes.kept, ...(added ? [added.volume] : []), ...authorityParts(context).volumes],
  })
  const metadata = convertMetadata(context)
  const template = {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  }
  return { docker: hasDocker ? 'sidecar' : 'none', jobPods, template }
}

/** In the mode dind, ARC's chart leaves out an ordinary container of this name. */
function withoutIgnored(context: Context, containers: readonly FoundContainer[]): readonly FoundContainer[] {
  return containers.filter((one) => {
    const isIgnored = modeOf(context) === 'dind' && one.list === 'containers' && one.value['name'] === 'dind'
    if (isIgnored)
      context.ledger.note('dropped', one.path, "In the mode dind, ARC's chart ignores a container of this name.")
    return !isIgnored
  })
}

function noteMode(context: Context, addsExternals: boolean): void {
  const mode = modeOf(context)
  const { ledger } = context
  if (isKubernetesMode(mode)) return
  const hasNoMode = mode === '' || mode === 'none'
  if (mode === 'dind') {
    const why = addsExternals ? ' An init container copies the programs that jobs with container: need.' : ''
    const sentence = `spec.docker: sidecar, an engine with its own version and probe.${why}`
    ledger.note('changed', ['containerMode', 'type'], sentence)
  } else if (hasNoMode) ledger.note('kept', ['containerMode', 'type'], 'No mode: the template says all.')
  else ledger.note('decide', ['containerMode', 'type'], 'Neither the chart nor Dayfly knows this mode.')
  for (const key of [
    'kubernetesModeWorkVolumeClaim',
    'kubernetesModeServiceAccount',
    'kubernetesModeAdditionalRoleRules',
  ]) {
    ledger.note('dropped', ['containerMode', key], "ARC's chart reads it in the mode kubernetes only.")
  }
}

const externalsPath = '/home/runner/externals'

function copiesExternals(containers: readonly FoundContainer[]): boolean {
  return containers.some(
    ({ list, value }) => list === 'initContainers' && JSON.stringify(value).includes(externalsPath),
  )
}

/** The init container and the volume that the chart adds in the mode dind. Jobs with `container:` need the folder in the engine. */
function externalsFor(image: unknown) {
  const name = 'dind-externals'
  return {
    init: {
      name: 'init-dind-externals',
      image,
      command: ['cp', '-r', `${externalsPath}/.`, '/home/runner/tmpDir/'],
      volumeMounts: [{ name, mountPath: '/home/runner/tmpDir' }],
    },
    mount: { name, mountPath: externalsPath },
    volume: { name, emptyDir: {} },
  }
}

function withExternals(
  sidecar: JsonObject | undefined,
  added: ReturnType<typeof externalsFor> | undefined,
): JsonObject | undefined {
  if (!added) return sidecar
  return { name: dockerContainer, ...sidecar, volumeMounts: [...listAt(sidecar, 'volumeMounts'), added.mount] }
}

function convertOther(
  context: Context,
  container: FoundContainer,
  volumes: Volumes,
  runner: FoundContainer | undefined,
): JsonObject {
  const env = convertVariables(context, container, false)
  const mounts = convertMounts(context, container, volumes)
  // ARC's chart writes no image here if the values have none, and its controller would refuse the pod.
  const image = container.value['image'] ?? (copiesExternals([container]) ? imageOf(context, runner) : undefined)
  return {
    ...container.value,
    ...(image === undefined ? {} : { image }),
    ...(fieldsOf(container, 'env') ? { env } : {}),
    ...(fieldsOf(container, 'volumeMounts') ? { volumeMounts: mounts } : {}),
  }
}

function fieldsOf({ value }: FoundContainer, key: string): boolean {
  return Array.isArray(value[key])
}

/** The runner stays at its place among the containers. */
function inOrder(
  containers: readonly FoundContainer[],
  runner: JsonObject | undefined,
  others: readonly JsonObject[],
): readonly JsonObject[] {
  const ordinary = containers.filter(({ list, role }) => list === 'containers' && role !== 'engine')
  const at = Math.max(
    ordinary.findIndex(({ role }) => role === 'runner'),
    0,
  )
  if (others.length === 0) return runner ? [runner] : []
  return [...others.slice(0, at), runner ?? { name: 'runner' }, ...others.slice(at)]
}

function withLists(fields: JsonObject, lists: Readonly<Record<string, readonly unknown[]>>): JsonObject {
  return { ...fields, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) }
}
