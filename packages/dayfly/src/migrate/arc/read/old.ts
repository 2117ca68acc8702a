// Reads the objects of ARC's older generation (actions.summerwind.dev): RunnerDeployments and RunnerSets with their autoscalers.
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import {
  fieldsAt,
  isJsonObject,
  type JsonObject,
  listAt,
  numberAt,
  type Path,
  textAt,
  textsAt,
  valueAt,
} from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Form, Release } from '../release.ts'
import { leavesOf, showPath, type Values } from '../values.ts'
import { type Input, valuesIn } from './input.ts'
import { containerFields, fateOf, oldVariables, podFields } from './old-fields.ts'
import { type Part, placedValues } from './placed-values.ts'

type Old = {
  readonly object: SourceObject
  readonly values: Values
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
}

export function oldSets(input: Input): { readonly releases: readonly Release[]; readonly lines: readonly Line[] } {
  const all = input.objects.flatMap(oldObject)
  const scalers = all.filter(({ kind }) => kind === 'HorizontalRunnerAutoscaler')
  const sets = all.filter(({ kind }) => kind === 'RunnerDeployment' || kind === 'RunnerSet')
  const used = new Set<Old>()
  const releases = sets.map((set) => {
    // A folder may have several variants of one set, each with its autoscaler.
    const all = scalers.filter((one) => scales(one, set))
    const scaler = all.find((one) => fileOf(one) === fileOf(set)) ?? all[0]
    if (scaler) used.add(scaler)
    return releaseOf(set, scaler)
  })
  const rest = all.filter((one) => !sets.includes(one) && !used.has(one))
  const lines = rest.map(
    ({ values, kind }): Line => ({ ...values.placeOf(['kind']), is: 'decide', sentence: aloneSentence(kind) }),
  )
  return { releases, lines }
}

function aloneSentence(kind: string): string {
  if (kind === 'HorizontalRunnerAutoscaler') return 'The runners that it scales are not in the input.'
  return `A RunnerSet has no counterpart of one ${kind}. Write a RunnerSet with spec.scale.max.`
}

function oldObject(object: SourceObject): readonly Old[] {
  const { value, kind: what } = object
  const values =
    what === 'object' && /^actions\.summerwind\.(dev|net)\//.test(String(value['apiVersion']))
      ? valuesIn(object, [])
      : undefined
  const kind = textAt(value, 'kind')
  if (
    !values ||
    kind === undefined ||
    !/^(Runner|RunnerReplicaSet|RunnerDeployment|RunnerSet|HorizontalRunnerAutoscaler)$/.test(kind)
  )
    return []
  const name = textAt(values.root, 'metadata', 'name') ?? 'runners'
  return [{ object, values, kind, name, namespace: textAt(values.root, 'metadata', 'namespace') }]
}

function fileOf({ object }: Old): string {
  return object.document.file.path
}

function scales(scaler: Old, set: Old): boolean {
  const target = (key: string) => textAt(scaler.values.root, 'spec', 'scaleTargetRef', key)
  const isSameSpace =
    scaler.namespace === undefined || set.namespace === undefined || scaler.namespace === set.namespace
  return target('name') === set.name && (target('kind') ?? 'RunnerDeployment') === set.kind && isSameSpace
}

type Making = { readonly root: Record<string, unknown>; readonly parts: Part[]; readonly notes: Line[] }

function releaseOf(set: Old, scaler: Old | undefined): Release {
  const { object, values, kind, name, namespace } = set
  const making: Making = { root: {}, parts: [], notes: [] }
  const own: Path = kind === 'RunnerSet' ? ['spec'] : ['spec', 'template', 'spec']
  makeAccount(making, values, own)
  makeScale(making, set, scaler)
  makePod(making, values, own, kind)
  noteRest(making, values, own, kind)
  // A value that is absent has its place in a field that would have it.
  making.parts.push({ to: ['namespaceOverride'], from: values, path: ['metadata', 'namespace'] })
  making.parts.push({
    to: ['githubConfigSecret'],
    from: values,
    path: [...own, 'githubAPICredentialsFrom', 'secretRef', 'name'],
  })
  making.parts.push({ to: ['githubConfigUrl'], from: values, path: [...own, 'organization'] })
  making.parts.push({
    to: ['maxRunners'],
    from: (scaler ?? set).values,
    path: ['spec', scaler ? 'maxReplicas' : 'replicas'],
  })
  return {
    form: kind as Form,
    file: object.document.file.path,
    at: showPath(object.path),
    name,
    namespace,
    values: placedValues(making.root, making.parts, object.document.file.path),
    notes: making.notes,
    files: [],
    made: {},
    labels: labelsOfRunner(values, own),
  }
}

function put(making: Making, key: string, value: unknown, origin: Omit<Part, 'to'>): void {
  making.root[key] = value
  making.parts.push({ to: [key], ...origin })
}

function makeAccount(making: Making, values: Values, own: Path): void {
  const at = (key: string) => textAt(values.root, ...own, key)
  const key = ['repository', 'organization', 'enterprise'].find((one) => at(one) !== undefined)
  if (key !== undefined) {
    const account = key === 'enterprise' ? `enterprises/${at(key)}` : at(key)
    put(making, 'githubConfigUrl', `https://github.com/${account}`, { from: values, path: [...own, key] })
  }
  const secret = textAt(values.root, ...own, 'githubAPICredentialsFrom', 'secretRef', 'name')
  if (secret !== undefined)
    put(making, 'githubConfigSecret', secret, {
      from: values,
      path: [...own, 'githubAPICredentialsFrom', 'secretRef', 'name'],
    })
  if (at('group') !== undefined) put(making, 'runnerGroup', at('group'), { from: values, path: [...own, 'group'] })
  put(making, 'scaleSetLabels', textsAt(values.root, ...own, 'labels'), { from: values, path: [...own, 'labels'] })
  const labels = labelsOfRunner(values, own)
  const sentence = `GitHub gave ${labels.join(', ')} to each old runner. A set has only its own labels, so they are in spec.github.labels.`
  making.notes.push({ ...values.placeOf([...own, 'labels']), is: 'decide', sentence })
}

/** The labels that GitHub's runner gave itself. */
function labelsOfRunner(values: Values, own: Path): readonly string[] {
  const isArm = JSON.stringify(valueAt(values.root, ...own) ?? '').includes('arm64')
  return ['self-hosted', 'linux', isArm ? 'arm64' : 'x64']
}

function makeScale(making: Making, { values }: Old, scaler: Old | undefined): void {
  const most = scaler && valueAt(scaler.values.root, 'spec', 'maxReplicas')
  const least = scaler && valueAt(scaler.values.root, 'spec', 'minReplicas')
  const replicas = numberAt(values.root, 'spec', 'replicas') ?? 1
  if (scaler) {
    if (most !== undefined) put(making, 'maxRunners', most, { from: scaler.values, path: ['spec', 'maxReplicas'] })
    if (least !== undefined) put(making, 'minRunners', least, { from: scaler.values, path: ['spec', 'minReplicas'] })
    for (const key of Object.keys(fieldsAt(scaler.values.root, 'spec') ?? {})) {
      if (key !== 'minReplicas' && key !== 'maxReplicas') noteField(making, scaler.values, ['spec'], key)
    }
    return
  }
  put(making, 'maxRunners', replicas, { from: values, path: ['spec', 'replicas'] })
  put(making, 'minRunners', replicas, { from: values, path: ['spec', 'replicas'] })
}

/** A RunnerDeployment has the fields of container and pod side by side. A RunnerSet has a pod template. */
function makePod(making: Making, values: Values, own: Path, kind: string): void {
  const metadata: Path = ['spec', 'template', 'metadata']
  const template: Record<string, unknown> = {}
  if (fieldsAt(values.root, ...metadata)) {
    template['metadata'] = fieldsAt(values.root, ...metadata)
    making.parts.push({ to: ['template', 'metadata'], from: values, path: metadata })
  }
  template['spec'] = kind === 'RunnerSet' ? podOfSet(making, values) : podOfDeployment(making, values, own)
  making.root['template'] = template
  const isOff = valueAt(values.root, ...own, 'dockerEnabled') === false
  const isInside = valueAt(values.root, ...own, 'dockerdWithinRunnerContainer') === true
  const isKubernetes = textAt(values.root, ...own, 'containerMode') === 'kubernetes'
  if (isKubernetes) making.root['containerMode'] = { type: 'kubernetes' }
  else if (!isOff || isInside) making.root['containerMode'] = { type: 'dind' }
  const field = isKubernetes ? 'containerMode' : isInside ? 'dockerdWithinRunnerContainer' : 'dockerEnabled'
  making.parts.push({ to: ['containerMode', 'type'], from: values, path: [...own, field] })
}

function podOfDeployment(making: Making, values: Values, own: Path): JsonObject {
  const fields = fieldsAt(values.root, ...own) ?? {}
  const runner: Record<string, unknown> = { name: 'runner' }
  const spec: Record<string, unknown> = {}
  const listed = listAt(fields, 'containers').findIndex((one) => textAt(one, 'name') === 'runner')
  for (const [key, value] of Object.entries(fieldsAt(fields, 'containers', listed) ?? {})) {
    if (key === 'image' || key === 'name') continue
    runner[key] = value
    making.parts.push({
      to: ['template', 'spec', 'containers', 0, key],
      from: values,
      path: [...own, 'containers', listed, key],
    })
  }
  for (const [key, value] of Object.entries(fields)) {
    if (containerFields.has(key)) {
      const kept = key === 'env' ? withoutOld(making, values, [...own, key]) : value
      if (Array.isArray(kept) && kept.length === 0) continue
      runner[key] = kept
      making.parts.push({ to: ['template', 'spec', 'containers', 0, key], from: values, path: [...own, key] })
    } else if (podFields.has(key)) {
      spec[key] = value
      making.parts.push({ to: ['template', 'spec', key], from: values, path: [...own, key] })
    }
  }
  const sidecars = listAt(fields, 'sidecarContainers')
  for (const [index] of sidecars.entries()) {
    making.parts.push({
      to: ['template', 'spec', 'containers', index + 1],
      from: values,
      path: [...own, 'sidecarContainers', index],
    })
  }
  return { ...spec, containers: [runner, ...sidecars] }
}

/** The container docker of a RunnerSet changes the old engine, and Dayfly's sidecar has the same name. */
function podOfSet(making: Making, values: Values): JsonObject {
  const path: Path = ['spec', 'template', 'spec']
  const spec = fieldsAt(values.root, ...path) ?? {}
  making.parts.push({ to: ['template', 'spec'], from: values, path })
  const containers = listAt(spec, 'containers').map((container, index) => {
    if (!isJsonObject(container) || container['name'] !== 'runner' || container['image'] === undefined) return container
    noteField(making, values, [...path, 'containers', index], 'image')
    const { image: _old, ...rest } = container
    return rest
  })
  return { ...spec, ...(containers.length > 0 ? { containers } : {}) }
}

function withoutOld(making: Making, values: Values, path: Path): readonly unknown[] {
  const sentence = 'Only the entrypoint of the old image reads it.'
  return listAt(values.root, ...path).filter((entry, index) => {
    const isOld = oldVariables.test(textAt(entry, 'name') ?? '')
    if (isOld) making.notes.push({ ...values.placeOf([...path, index]), is: 'dropped', sentence })
    return !isOld
  })
}

const ofAccount: ReadonlySet<string> = new Set([
  'repository',
  'organization',
  'enterprise',
  'group',
  'labels',
  'githubAPICredentialsFrom',
  'containerMode',
])

/** Notes the fields that are no part of the values. */
function noteRest(making: Making, values: Values, own: Path, kind: string): void {
  for (const key of Object.keys(fieldsAt(values.root, ...own) ?? {})) {
    const isPart = ofAccount.has(key) || containerFields.has(key) || podFields.has(key) || key === 'sidecarContainers'
    if (!isPart && key !== 'template') noteField(making, values, own, key)
  }
  if (kind === 'RunnerSet') return
  for (const key of Object.keys(fieldsAt(values.root, 'spec') ?? {})) {
    if (key !== 'template' && key !== 'replicas') noteField(making, values, ['spec'], key)
  }
}

function noteField(making: Making, values: Values, own: Path, key: string): void {
  const { is, sentence } = fateOf(key)
  for (const leaf of leavesOf(valueAt(values.root, ...own, key), [...own, key])) {
    making.notes.push({ ...values.placeOf(leaf), is, sentence })
  }
}
