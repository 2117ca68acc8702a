// Converts the pod template: the runner, Docker beside it, other containers, volumes and fields of the pod.
import type { JsonObject } from '@dayfly/kit/read-json'
import { authorityParts } from './authority.ts'
import { type FoundContainer, findContainers, isKubernetesMode, modeOf, wordsOf } from './containers.ts'
import type { Context } from './context.ts'
import { convertEngine } from './engine.ts'
import { convertFields } from './fields.ts'
import { convertJobPods } from './job-pods.ts'
import { convertMetadata } from './metadata.ts'
import { convertRunner, imageOf } from './runner.ts'
import { convertVariables } from './variables.ts'
import { convertMounts, convertVolumes, externalsPath, type Volumes } from './volumes.ts'

export type ConvertedPod = {
  readonly docker: 'none' | 'sidecar'
  /** The fields of the spec about the pods of jobs. */
  readonly jobPods: JsonObject
  readonly template: JsonObject
}

export function convertPod(context: Context): ConvertedPod {
  const containers = withoutOwn(context, findContainers(context))
  const engine = containers.find(({ role }) => role === 'engine')
  const runner = containers.find(({ role }) => role === 'runner')
  const isDind = modeOf(context) === 'dind'
  const hasDocker = isDind || engine !== undefined
  const volumes = convertVolumes(context, containers, hasDocker)
  noteMode(context)
  const jobPods = convertJobPods(context, containers)
  const fields = convertFields(context)
  const own = convertRunner(context, runner, volumes, hasDocker)
  const sidecar = engine && convertEngine(context, engine, volumes)
  const others = (list: FoundContainer['list']) =>
    containers
      .filter((one) => one.role === 'other' && one.list === list)
      .map((one) => convertOther(context, one, volumes, runner))
  const spec = withLists(fields, {
    initContainers: [...others('initContainers'), ...(sidecar ? [sidecar] : [])],
    containers: inOrder(containers, own, others('containers')),
    volumes: [...volumes.kept, ...authorityParts(context).volumes],
  })
  const metadata = convertMetadata(context)
  const template = {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  }
  return { docker: hasDocker ? 'sidecar' : 'none', jobPods, template }
}

/** Leaves out what ARC's chart ignores, and what Dayfly's pod with Docker has itself. */
function withoutOwn(context: Context, containers: readonly FoundContainer[]): readonly FoundContainer[] {
  const isDind = modeOf(context) === 'dind'
  const hasDocker = isDind || containers.some(({ role }) => role === 'engine')
  const runner = containers.find(({ role }) => role === 'runner')
  return containers.filter((one) => {
    const isIgnored = isDind && one.list === 'containers' && one.value['name'] === 'dind'
    const isOwn = hasDocker && isOwnCopy(context, one, runner)
    if (isIgnored)
      context.ledger.note('dropped', one.path, "In the mode dind, ARC's chart ignores a container of this name.")
    if (isOwn) context.ledger.note('kept', one.path, "Dayfly's pod with Docker copies this folder itself.")
    return !isIgnored && !isOwn
  })
}

function noteMode(context: Context): void {
  const mode = modeOf(context)
  const { ledger } = context
  if (isKubernetesMode(mode)) return
  const hasNoMode = mode === '' || mode === 'none'
  if (mode === 'dind') {
    ledger.note('changed', ['containerMode', 'type'], 'spec.docker: sidecar, an engine with its own version and probe.')
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

function copiesExternals(containers: readonly FoundContainer[]): boolean {
  return containers.some(
    ({ list, value }) => list === 'initContainers' && JSON.stringify(value).includes(externalsPath),
  )
}

/** The init container of the chart's mode dind, which a template writes down, too. Dayfly's pod has one of its own. */
function isOwnCopy(context: Context, { list, value }: FoundContainer, runner: FoundContainer | undefined): boolean {
  const [program, from, ...to] = wordsOf(value).filter((word) => !word.startsWith('-'))
  const isCopy = program === 'cp' && from === `${externalsPath}/.` && to.length === 1
  const { image = imageOf(context, runner) } = value
  return list === 'initContainers' && isCopy && image === imageOf(context, runner)
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
