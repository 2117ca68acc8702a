// Reads the objects of ARC's older generation (actions.summerwind.dev): RunnerDeployments and RunnerSets with their autoscalers.
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import { fieldsAt, numberAt, type Path, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Form, Release } from '../release.ts'
import { showPath, type Values } from '../values.ts'
import { branchNotes, type Input, valuesIn } from './input.ts'
import { containerFields, podFields } from './old-fields.ts'
import { type Making, noteField, put } from './old-making.ts'
import { makePod } from './old-pod.ts'
import { placedValues } from './placed-values.ts'
import { referredNamespace } from './terraform-namespace.ts'

type Old = {
  readonly object: SourceObject
  readonly values: Values
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
}

export function oldSets(input: Input): { readonly releases: readonly Release[]; readonly lines: readonly Line[] } {
  const all = input.objects.flatMap((object) => oldObject(input, object))
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
    (one): Line => ({ ...one.values.placeOf(['kind']), is: 'decide', sentence: aloneSentence(one, sets) }),
  )
  return { releases, lines }
}

const targetPath: Path = ['spec', 'scaleTargetRef', 'name']

function aloneSentence({ kind, name, ...one }: Old, sets: readonly Old[]): string {
  if (kind !== 'HorizontalRunnerAutoscaler')
    return `A RunnerSet has no counterpart of one ${kind}. Write a RunnerSet with spec.scale.max.`
  const target = textAt(one.values.root, ...targetPath) ?? 'nothing'
  if (one.values.isComputed(targetPath))
    return 'A template computes which runners it scales. Write its limits to spec.scale of their RunnerSet.'
  return sets.some((set) => scales({ ...one, kind, name }, set))
    ? `${name} scales ${target}, and another autoscaler does, too. The RunnerSet has the limits of the other one.`
    : `${name} scales ${target}, which is not in the input.`
}

function oldObject(input: Input, object: SourceObject): readonly Old[] {
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
  const written = textAt(values.root, 'metadata', 'namespace')
  const namespace = referredNamespace(input, object.document.file.path, written) ?? written
  return [{ object, values, kind, name, namespace }]
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
    notes: [...branchNotes(object), ...making.notes],
    files: [],
    made: {},
    labels: labelsOfRunner(values, own),
  }
}

function makeAccount(making: Making, values: Values, own: Path): void {
  const at = (key: string) => textAt(values.root, ...own, key)
  const [key, ...others] = ['repository', 'organization', 'enterprise'].filter((one) => at(one) !== undefined)
  const sentence = 'A set has one account, and spec.github.url has another one. Decide which one these runners are for.'
  for (const other of others) noteField(making, values, [...own, other], { is: 'decide', sentence })
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
  makeLabels(making, values, own)
}

function makeLabels(making: Making, values: Values, own: Path): void {
  const path: Path = [...own, 'labels']
  if (valueAt(values.root, ...path) !== undefined)
    put(making, 'scaleSetLabels', textsAt(values.root, ...path), { from: values, path })
  const labels = labelsOfRunner(values, own)
  const sentence = `GitHub gave ${labels.join(', ')} to each old runner. A set has only its own labels, so they are in spec.github.labels.`
  making.notes.push({ ...values.placeOf(path), is: 'decide', sentence })
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
    const overrides = valueAt(scaler.values.root, 'spec', 'scheduledOverrides')
    if (Array.isArray(overrides))
      put(making, 'scheduledOverrides', overrides, { from: scaler.values, path: ['spec', 'scheduledOverrides'] })
    for (const key of Object.keys(fieldsAt(scaler.values.root, 'spec') ?? {})) {
      if (making.parts.some(({ from, path }) => from === scaler.values && path.at(-1) === key)) continue
      noteField(making, scaler.values, ['spec', key])
    }
    const sentence = 'The HorizontalRunnerAutoscaler sets the number of runners.'
    if (valueAt(values.root, 'spec', 'replicas') !== undefined)
      noteField(making, values, ['spec', 'replicas'], { is: 'dropped', sentence })
    return
  }
  put(making, 'maxRunners', replicas, { from: values, path: ['spec', 'replicas'] })
  put(making, 'minRunners', replicas, { from: values, path: ['spec', 'replicas'] })
}

/** Fields that the account, the limits and the pod have read. */
const read: ReadonlySet<string> = new Set([
  'repository',
  'organization',
  'enterprise',
  'group',
  'labels',
  'githubAPICredentialsFrom',
  'containerMode',
  'dockerEnabled',
  'dockerdWithinRunnerContainer',
  'dockerdContainerResources',
  'containers',
  'sidecarContainers',
  'replicas',
])

/** Notes the fields that are no part of the values. */
function noteRest(making: Making, values: Values, own: Path, kind: string): void {
  for (const key of Object.keys(fieldsAt(values.root, ...own) ?? {})) {
    const isPart = read.has(key) || containerFields.has(key) || podFields.has(key)
    if (!isPart && key !== 'template') noteField(making, values, [...own, key])
  }
  if (kind === 'RunnerSet') return
  for (const key of Object.keys(fieldsAt(values.root, 'spec') ?? {})) {
    if (key !== 'template' && key !== 'replicas') noteField(making, values, ['spec', key])
  }
}
