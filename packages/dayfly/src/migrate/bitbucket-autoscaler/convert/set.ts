// Converts one group to the document of a RunnerSet, and notes the paths of the group.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import type { Configuration, Group, Mode } from '../configuration.ts'
import type { JobTemplate } from '../job-template.ts'
import { below, isMapping, type Mapping, type Value } from '../yaml/value.ts'
import { type DefaultPod, runnerName } from './default-pod.ts'
import { convertJob } from './job.ts'
import type { Ledger } from './ledger.ts'
import { convertScale, type Strategy } from './scale.ts'

export type RunnerSetDocument = {
  readonly apiVersion: string
  readonly kind: 'RunnerSet'
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: JsonObject & { readonly bitbucket: { readonly url: string } }
}

/** The Secret with the credential, as the official installation names it. */
export const credentialSecret = 'runner-bitbucket-credentials'

export type SetChoice = {
  readonly name: string
  readonly mode: Mode
  readonly strategy: Strategy
  readonly defaults: DefaultPod
  /** Undefined without a job template. */
  readonly template: JobTemplate | undefined
  readonly ledgers: { readonly configuration: Ledger; readonly template: Ledger }
}

export type ConvertedSet = { readonly document: RunnerSetDocument; readonly hasRunner: boolean }

export function convertGroup(
  group: Group,
  source: Mapping,
  configuration: Configuration,
  choice: SetChoice,
): ConvertedSet {
  const { name, template, defaults, strategy } = choice
  const ledger = choice.ledgers.configuration
  const job = template && convertJob(template, choice.ledgers.template, defaults)
  const scale = convertScale(group, source, configuration, { strategy, ledger })
  notePlace(group, source, choice)
  const labels = convertLabels(group, source, ledger)
  noteResources(group, source, choice)
  const podSpec = withArchitecture(job?.pod.spec ?? withoutTemplate(group), group)
  noteLater(group, source, choice)
  for (const [key, value] of source)
    ledger.note('dropped', below(group.path, key), value, 'The official tool ignores this key, too.')
  const metadata = job?.pod.metadata ?? {}
  const podTemplate = {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(podSpec).length > 0 ? { spec: podSpec } : {}),
  }
  const spec = {
    bitbucket: {
      url: urlOf(group),
      credentials: { secret: credentialSecret },
      ...(labels.length > 0 ? { labels } : {}),
    },
    scale,
    docker: job?.pod.docker ?? 'sidecar',
    ...(job?.lifeMax === undefined ? {} : { lifeMax: job.lifeMax }),
    ...(Object.keys(podTemplate).length > 0 ? { template: podTemplate } : {}),
  }
  const document = {
    apiVersion: runnerSetApiVersion,
    kind: 'RunnerSet',
    metadata: { name, namespace: group.namespace },
    spec,
  } as const
  return { document, hasRunner: job?.pod.hasRunner ?? true }
}

/** How the strategy of a RunnerSet differs from the official one. */
const difference =
  'Dayfly also counts runners that start, keeps at least one, never exceeds max, and chooses only among runners that are old enough.'

function urlOf({ workspace, repository }: Group): string {
  const part = (name: string) => encodeURIComponent(name).replace(/%7B/g, '{').replace(/%7D/g, '}')
  return ['https://bitbucket.org', workspace, ...(repository === undefined ? [] : [repository])]
    .map((name, index) => (index === 0 ? name : part(name)))
    .join('/')
}

function notePlace(group: Group, source: Mapping, { name, strategy, ledgers }: SetChoice): void {
  const note = (key: string, is: 'kept' | 'changed' | 'dropped', sentence: string) => {
    const value = source.get(key)
    if (value !== undefined) ledgers.configuration.note(is, below(group.path, key), value, sentence)
  }
  if (name === group.name) note('name', 'kept', 'metadata.name')
  else
    note(
      'name',
      'changed',
      `metadata.name: ${name}, because names in Kubernetes have lower-case letters, digits and dashes, and each is unique.`,
    )
  note('workspace', 'kept', 'spec.bitbucket.url')
  note(
    'repository',
    'kept',
    group.repository === undefined ? 'It is empty: the runners are of the workspace.' : 'spec.bitbucket.url',
  )
  note('namespace', 'kept', 'metadata.namespace')
  if (strategy === 'percentage') note('strategy', 'changed', `spec.scale.percentageRunnersIdle. ${difference}`)
  else note('strategy', 'dropped', `Dayfly keeps a number of idle runners instead.`)
}

/** The labels that Dayfly writes. It adds self.hosted and linux itself. */
function convertLabels({ path, labels, architecture }: Group, source: Mapping, ledger: Ledger): readonly string[] {
  const platform = architecture === 'arm64' ? ['linux.arm64'] : []
  const isOfficial = (label: string) => ['self.hosted', 'linux', 'autoscaler.created', ...platform].includes(label)
  const given = source.get('labels')
  for (const [index, value] of (Array.isArray(given) ? given : []).entries() as IterableIterator<[number, Value]>) {
    const at = below(below(path, 'labels'), index)
    const label = String(value)
    if (label === 'autoscaler.created') {
      ledger.note('dropped', at, value, "Only the old autoscaler's runners have it. Remove it from runs-on.")
    } else if (isOfficial(label)) ledger.note('kept', at, value, 'Dayfly or Bitbucket adds this label to each runner.')
    else ledger.note('kept', at, value, 'spec.bitbucket.labels')
  }
  return [...platform, ...labels.filter((label) => !isOfficial(label))]
}

/** Resources count only where the template has their variables. */
function noteResources({ path, resources }: Group, source: Mapping, { template, ledgers }: SetChoice): void {
  const given = source.get('resources')
  if (!isMapping(given)) return
  const at = below(path, 'resources')
  for (const side of ['requests', 'limits'] as const) {
    const quantities = given.get(side)
    for (const kind of ['memory', 'cpu'] as const) {
      const value = isMapping(quantities) ? quantities.get(kind) : undefined
      if (value === undefined) continue
      const isUsed = template === undefined || template.used.has(`${side}_${kind}`)
      const place = `spec.template.spec, container runner: resources.${side}.${kind}: ${resources[side][kind]}`
      const unused = `The template does not use the variable ${side}_${kind}.`
      ledgers.configuration.note(isUsed ? 'kept' : 'dropped', `${at}.${side}.${kind}`, value, isUsed ? place : unused)
    }
  }
  ledgers.configuration.note('dropped', at, given, 'The official tool ignores this key, too.')
}

/** Notes the keys of later versions, which the strict reading ignores. */
function noteLater(
  { path, nodeSelector, architecture }: Group,
  source: Mapping,
  { mode, template, ledgers }: SetChoice,
): void {
  if (mode === 'strict') return
  const ledger = ledgers.configuration
  const selector = source.get('node_selector')
  if (selector !== undefined) {
    const isUsed = template === undefined || template.used.has('node_selector') || nodeSelector.size === 0
    const sentence = isUsed
      ? 'spec.template.spec.nodeSelector'
      : 'The template does not use the variable node_selector.'
    ledger.note(isUsed ? 'kept' : 'dropped', below(path, 'node_selector'), selector, sentence)
  }
  const value = source.get('architecture')
  const label = architecture === 'arm64' ? 'linux.arm64' : 'linux'
  if (value !== undefined)
    ledger.note('kept', below(path, 'architecture'), value, `The label ${label}, and the node's architecture`)
}

/** Without a template, the runner gets what the official one gives it. */
function withoutTemplate({ resources, nodeSelector }: Group): JsonObject {
  const selector = nodeSelector.size > 0 ? { nodeSelector: Object.fromEntries(nodeSelector) } : {}
  return { ...selector, containers: [{ name: runnerName, resources }] }
}

const architectureKey = 'kubernetes.io/arch'

/** Runners with the label linux.arm64 must run on such nodes, unless the template chooses nodes by their architecture itself. */
function withArchitecture(spec: JsonObject, { architecture }: Group): JsonObject {
  const selector = isJsonObject(spec['nodeSelector']) ? spec['nodeSelector'] : {}
  const isChosen =
    Object.hasOwn(selector, architectureKey) || JSON.stringify(spec['affinity'] ?? null).includes(architectureKey)
  if (architecture !== 'arm64' || isChosen) return spec
  return { ...spec, nodeSelector: { ...selector, [architectureKey]: 'arm64' } }
}
