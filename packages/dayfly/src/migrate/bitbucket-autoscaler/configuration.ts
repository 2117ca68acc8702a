// Reads `runners_config.yaml` (docs/reference/bitbucket.md#s4-3). The strict reading decides exactly as the official tool 3.7.0. The
// corrected one also knows the keys of later versions and the parameters of versions before 2.0.
import type { Problem } from './problem.ts'
import { type MapReader, readMap, textOf } from './read-map.ts'
import { readYaml } from './yaml/read.ts'
import { below, isMapping, type Value } from './yaml/value.ts'

export type Mode = 'strict' | 'corrected'

export type Quantities = { readonly memory: string; readonly cpu: string }

export type Group = {
  /** The place of the group in the file: `groups[0]`. */
  readonly path: string
  readonly name: string
  readonly workspace: string
  readonly repository: string | undefined
  /** As the file has them, each once. */
  readonly labels: readonly string[]
  readonly namespace: string
  readonly parameters: Parameters
  readonly resources: { readonly requests: Quantities; readonly limits: Quantities }
  readonly architecture: string
  readonly nodeSelector: ReadonlyMap<string, string>
}

export type Parameters = {
  readonly min: number
  readonly max: number
  readonly scaleUpThreshold: number
  readonly scaleDownThreshold: number
  readonly scaleUpMultiplier: number
  readonly scaleDownMultiplier: number
}

export type Configuration = {
  readonly constants: {
    readonly sleepAfterSetup: number
    readonly sleepAfterDelete: number
    readonly pollingInterval: number
    readonly coolDown: number
  }
  readonly groups: readonly Group[]
  /** The whole file, for the report by path. */
  readonly source: Value
}

export type ConfigurationRead =
  | { readonly ok: true; readonly configuration: Configuration; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const reservedNamespace = 'bitbucket-runner-control-plane'
const officialLabels: readonly string[] = ['self.hosted', 'linux', 'autoscaler.created']

type Reading = { readonly mode: Mode; readonly problems: Problem[]; readonly warnings: Problem[] }

export function readConfiguration(text: string, mode: Mode): ConfigurationRead {
  const yaml = readYaml(text)
  if (!yaml.ok)
    return { ok: false, problems: [{ path: '', sentence: `The file is not valid YAML: ${yaml.sentence}.` }] }
  const source = yaml.value
  if (!isMapping(source)) return { ok: false, problems: [{ path: '', sentence: 'The file is not a map with groups.' }] }
  const reading: Reading = { mode, problems: [], warnings: [] }
  const top = readMap(source, '', reading.problems)
  const constants = readConstants(top)
  const groups = readGroups(top, reading)
  reading.problems.push(...sameLabels(groups, mode))
  if (reading.problems.length > 0 || !constants) return { ok: false, problems: reading.problems }
  return { ok: true, configuration: { constants, groups, source }, warnings: reading.warnings }
}

function readConstants(top: MapReader): Configuration['constants'] | undefined {
  const constants = top.map('constants', new Map())
  const sleepAfterSetup = constants?.integer('default_sleep_time_runner_setup', 5)
  const sleepAfterDelete = constants?.integer('default_sleep_time_runner_delete', 5)
  const pollingInterval = constants?.integer('runner_api_polling_interval', 600)
  const coolDown = constants?.integer('runner_cool_down_period', 300)
  if (sleepAfterSetup === undefined || sleepAfterDelete === undefined) return undefined
  if (pollingInterval === undefined || coolDown === undefined) return undefined
  return { sleepAfterSetup, sleepAfterDelete, pollingInterval, coolDown }
}

function readGroups(top: MapReader, reading: Reading): readonly Group[] {
  const groups = top.value('groups')
  const refuse = (sentence: string) => {
    reading.problems.push({ path: 'groups', sentence })
    return []
  }
  if (groups === undefined) {
    const old = top.has('config') ? ' The key config is from versions before 1.0: move its contents.' : ''
    return refuse(`The list of groups is missing.${old} Add at least one group.`)
  }
  if (!Array.isArray(groups)) return refuse('The value is not a list of groups. Write one entry for each group.')
  if (groups.length === 0) return refuse('The list is empty. Add at least one group.')
  return groups.flatMap((value: Value, index: number) => {
    const path = below('groups', index)
    if (isMapping(value)) return readGroup(readMap(value, path, reading.problems), reading) ?? []
    reading.problems.push({ path, sentence: 'The group is not a map. Give it name, workspace, labels and the rest.' })
    return []
  })
}

function readGroup(map: MapReader, reading: Reading): Group | undefined {
  const before = reading.problems.length
  const refuse = (key: string, sentence: string) => reading.problems.push({ path: `${map.path}.${key}`, sentence })
  const name = map.text('name')
  const workspace = map.text('workspace')
  const repository = map.optionalText('repository')
  if (repository === '') refuse('repository', 'The value is empty. Remove the key for runners of the workspace.')
  const labels = readLabels(map, refuse)
  const namespace = map.text('namespace')
  if (namespace === reservedNamespace)
    refuse('namespace', `The name ${reservedNamespace} is reserved. Use another one.`)
  const strategy = map.text('strategy')
  const isKnown = strategy === 'percentageRunnersIdle'
  if (strategy !== undefined && !isKnown) {
    refuse('strategy', `The strategy ${strategy.slice(0, 80)} is not supported. Use percentageRunnersIdle.`)
  }
  const parameters = isKnown || strategy === undefined ? readParameters(map, reading) : undefined
  const resources = readResources(map)
  const later = reading.mode === 'strict' ? undefined : readLater(map, refuse)
  if (reading.problems.length > before) return undefined
  if (name === undefined || workspace === undefined || namespace === undefined || !parameters) return undefined
  if (!labels || !resources) return undefined
  const { architecture = 'amd64', nodeSelector = new Map<string, string>() } = later ?? {}
  return {
    path: map.path,
    name,
    workspace,
    repository,
    labels,
    namespace,
    parameters,
    resources,
    architecture,
    nodeSelector,
  }
}

type Refuse = (key: string, sentence: string) => void

function readLabels(map: MapReader, refuse: Refuse): readonly string[] | undefined {
  const value = map.value('labels')
  if (value === undefined) return void refuse('labels', 'The field is missing. Add at least one label.')
  if (!Array.isArray(value)) return void refuse('labels', 'The value is not a list. Write one entry for each label.')
  if (value.length === 0) return void refuse('labels', 'The list is empty. Add at least one label.')
  const labels = value.map((label: Value, index: number) => {
    const text = textOf(label)
    if (text === undefined) refuse(`labels[${index}]`, 'The label is not a text. Correct it.')
    return text
  })
  return [...new Set(labels.filter((label) => label !== undefined))]
}

const parameterNames = {
  min: 'min',
  max: 'max',
  scaleUpThreshold: 'scale_up_threshold',
  scaleDownThreshold: 'scale_down_threshold',
  scaleUpMultiplier: 'scale_up_multiplier',
  scaleDownMultiplier: 'scale_down_multiplier',
} as const

type ParameterName = keyof typeof parameterNames

/** The names before version 2.0 count only if the new name is absent. */
function readParameters(map: MapReader, { mode, warnings }: Reading): Parameters | undefined {
  const parameters = map.map('parameters')
  if (!parameters) return undefined
  const nameOf = (field: ParameterName) => {
    const name = parameterNames[field]
    if (mode === 'strict' || name === field || parameters.has(name) || !parameters.has(field)) return name
    const sentence = `The name is from versions before 2.0, and it is read as ${name}. Rename it.`
    warnings.push({ path: below(parameters.path, field), sentence })
    return field
  }
  const min = parameters.integer('min')
  const max = parameters.integer('max')
  const scaleUpThreshold = parameters.float(nameOf('scaleUpThreshold'))
  const scaleDownThreshold = parameters.float(nameOf('scaleDownThreshold'))
  const scaleUpMultiplier = parameters.float(nameOf('scaleUpMultiplier'))
  const scaleDownMultiplier = parameters.float(nameOf('scaleDownMultiplier'))
  if (min === undefined || max === undefined) return undefined
  if (scaleUpThreshold === undefined || scaleDownThreshold === undefined) return undefined
  if (scaleUpMultiplier === undefined || scaleDownMultiplier === undefined) return undefined
  return { min, max, scaleUpThreshold, scaleDownThreshold, scaleUpMultiplier, scaleDownMultiplier }
}

function readResources(map: MapReader): Group['resources'] | undefined {
  const resources = map.map('resources', new Map())
  const requests = readQuantities(resources?.map('requests', new Map()))
  const limits = readQuantities(resources?.map('limits', new Map()))
  return requests && limits && { requests, limits }
}

function readQuantities(map: MapReader | undefined): Quantities | undefined {
  const memory = map?.text('memory', '4Gi')
  const cpu = map?.text('cpu', '1000m')
  return memory === undefined || cpu === undefined ? undefined : { memory, cpu }
}

/** Reads the keys of versions after 3.7.0. */
function readLater(map: MapReader, refuse: Refuse): Pick<Group, 'architecture' | 'nodeSelector'> {
  const architecture = map.optionalText('architecture') ?? 'amd64'
  if (architecture !== 'amd64' && architecture !== 'arm64') {
    refuse('architecture', `The architecture ${architecture.slice(0, 80)} is not known. Use amd64 or arm64.`)
  }
  const selector = map.value('node_selector') ?? new Map()
  const nodeSelector = new Map<string, string>()
  if (!isMapping(selector)) refuse('node_selector', 'The value is not a map. Write one line for each node label.')
  else {
    for (const [key, value] of selector) {
      const text = typeof value === 'string' ? value : undefined
      if (text !== undefined) nodeSelector.set(key, text)
      else refuse(below('node_selector', key), 'The value is not a text. Put it in quotes.')
    }
  }
  return { architecture, nodeSelector }
}

/** Returns the labels of a group's runners at Bitbucket. */
export function labelsOf({ labels, architecture }: Pick<Group, 'labels' | 'architecture'>): readonly string[] {
  const platform = architecture === 'arm64' ? 'linux.arm64' : 'linux'
  return [...new Set([...labels, ...officialLabels.map((label) => (label === 'linux' ? platform : label))])]
}

/** The official tool compares the groups of all workspaces. */
function sameLabels(groups: readonly Group[], mode: Mode): readonly Problem[] {
  const first = new Map<string, string>()
  return groups.flatMap((group) => {
    const labels = [...labelsOf(group)].sort()
    const key = JSON.stringify(labels)
    const other = first.get(key)
    if (other === undefined) {
      first.set(key, group.path)
      return []
    }
    const why = mode === 'strict' ? '' : ' Their runners would be the same.'
    const sentence = `The labels are those of ${other}: ${labels.join(', ')}.${why} Give each group labels of its own.`
    return [{ path: below(group.path, 'labels'), sentence }]
  })
}
