// Walks a document's value: finds its objects (also items of a List and objects in values), and the strings that look like manifests.
import type { Path } from '@dayfly/kit/read-json'
import { isJsonObject } from '@dayfly/kit/read-json'
import { chartLists } from '../../chart-kinds.ts'
import { mayHoldManifest } from '../yaml/split.ts'
import { encodedTexts } from './base64.ts'
import type { SourceObject } from './document.ts'

type FoundObject = Pick<SourceObject, 'path' | 'kind' | 'value'>
/** `encoded`: the string is in base64. */
export type FoundString = { readonly path: Path; readonly text: string; readonly encoded: boolean }
type Contents = {
  readonly objects: readonly FoundObject[]
  readonly strings: readonly FoundString[]
  /** The walk ended early, at its limit. */
  readonly cut: boolean
}

const visitsMax = 200_000
const depthMax = 64
/** Below these keys, an object of Flux or Argo CD holds values of a chart. */
const valuesKeys: ReadonlySet<string> = new Set(['values', 'valuesObject'])

/** The annotation in which kubectl stores a copy of the object. Its content would be reported twice. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** `inString`: the document is in a string. It may hold bare pod specs: the configuration of an autoscaler of runners. */
export function findObjects(root: unknown, inString = false): Contents {
  const objects: FoundObject[] = []
  const strings: FoundString[] = []
  let visits = 0
  let cut = false
  // One path serves the whole walk. It is copied only for a result.
  const path: (string | number)[] = []
  const visit = (value: unknown, inside: boolean): void => {
    if (++visits > visitsMax || path.length > depthMax) {
      cut = true
      return
    }
    if (typeof value === 'string') {
      if (mayBeManifest(value)) strings.push({ path: [...path], text: value, encoded: false })
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) visitEntry(index, value[index], inside)
    } else if (isJsonObject(value)) {
      const isBare = inString && !inside && isPodSpec(value) && !isOfValues(path, objects)
      const kind = kindOf(value, inside) ?? (isBare ? 'podSpec' : undefined)
      if (kind) objects.push({ path: [...path], kind, value })
      for (const { field, key, text } of kind === 'object' ? encodedTexts(value) : []) {
        if (mayHoldManifest(text)) strings.push({ path: [...path, field, key], text, encoded: true })
      }
      for (const item of untypedItems(value)) objects.push({ ...item, path: [...path, ...item.path] })
      const within = kind === 'object' || kind === 'podSpec' || kind === 'garm' || inside
      for (const key of Object.keys(value)) visitEntry(key, value[key], within && !valuesKeys.has(key))
    }
  }
  const visitEntry = (step: string | number, value: unknown, inside: boolean): void => {
    if ((typeof value !== 'object' && typeof value !== 'string') || step === lastApplied) {
      visits++
      return
    }
    path.push(step)
    visit(value, inside)
    path.pop()
  }
  visit(root, false)
  return { objects, strings, cut }
}

/** Whether the text has several lines, or is a JSON object on one line, as after folding. */
function mayBeManifest(text: string): boolean {
  return (text.includes('\n') || /^\{.*"apiVersion"/.test(text)) && mayHoldManifest(text)
}

/** Returns the items of a typed list, such as a JobList. They omit apiVersion and kind. */
function untypedItems({ apiVersion, kind, items }: Readonly<Record<string, unknown>>): readonly FoundObject[] {
  const typed = typeof kind === 'string' ? /^(.+)List$/.exec(kind)?.[1] : undefined
  if (typed === undefined || typeof apiVersion !== 'string' || !Array.isArray(items)) return []
  return items.flatMap((item: unknown, index) =>
    isJsonObject(item) && !('kind' in item) && 'metadata' in item
      ? [{ path: ['items', index], kind: 'object' as const, value: { apiVersion, kind: typed, ...item } }]
      : [],
  )
}

function kindOf(value: Readonly<Record<string, unknown>>, inside: boolean): FoundObject['kind'] | undefined {
  const { apiVersion, kind } = value
  if (typeof apiVersion === 'string' && typeof kind === 'string') {
    if (kind === 'Kustomization' && installsCharts(value)) return 'charts'
    // References to objects have both fields as well, but no field of an object.
    const isObject = 'metadata' in value || 'spec' in value || 'data' in value
    return isObject && !(kind.endsWith('List') && Array.isArray(value.items)) ? 'object' : undefined
  }
  if (isGarm(value)) return 'garm'
  if (inside) return undefined
  return isRunnerValues(value) ? 'values' : installsCharts(value) ? 'charts' : undefined
}

/** Whether the pod spec belongs to values that were found above it. */
function isOfValues(path: readonly (string | number)[], objects: readonly FoundObject[]): boolean {
  const owner = path.slice(0, -2)
  if (path.at(-2) !== 'template' || path.at(-1) !== 'spec') return false
  return objects.some(({ kind, path: at }) => kind === 'values' && at.join('\n') === owner.join('\n'))
}

function isPodSpec({ containers }: Readonly<Record<string, unknown>>): boolean {
  return (
    Array.isArray(containers) &&
    containers.length > 0 &&
    containers.every((container) => isJsonObject(container) && typeof container.name === 'string')
  )
}

/** Whether it is the configuration of GARM's provider for Kubernetes (https://github.com/mercedes-benz/garm-provider-k8s). */
function isGarm(value: Readonly<Record<string, unknown>>): boolean {
  const isNamed = 'runnerNamespace' in value || 'flavors' in value
  return isNamed && isJsonObject(value.podTemplate) && isJsonObject(value.podTemplate.spec)
}

/** Whether the file installs ARC's charts: a chart with dependencies, a helmfile, a kustomization (which is no object). */
function installsCharts(value: Readonly<Record<string, unknown>>): boolean {
  return chartLists.some((list) => {
    const entries = value[list]
    return (
      Array.isArray(entries) && entries.some((entry) => isJsonObject(entry) && isArcChart(entry.chart ?? entry.name))
    )
  })
}

function isArcChart(name: unknown): boolean {
  return typeof name === 'string' && /(^|\/)gha-runner-scale-set(-controller)?$/.test(name)
}

/** Whether these are values of ARC's chart `gha-runner-scale-set`, alone or below the name of a dependency. */
function isRunnerValues(value: Readonly<Record<string, unknown>>): boolean {
  if ('apiVersion' in value || 'kind' in value) return false
  const named = 'githubConfigUrl' in value || 'githubConfigSecret' in value || 'runnerScaleSetName' in value
  const mode = isJsonObject(value.containerMode) && 'type' in value.containerMode
  const template = isJsonObject(value.template) && isJsonObject(value.template.spec)
  if (template) return named || mode || hasRunner(value.template)
  // A schema has the same names, but above objects.
  return typeof value.githubConfigUrl === 'string' || typeof value.runnerScaleSetName === 'string' || (named && mode)
}

function hasRunner(template: unknown): boolean {
  const spec = isJsonObject(template) && isJsonObject(template.spec) ? template.spec : undefined
  const containers = Array.isArray(spec?.containers) ? spec.containers : []
  return containers.some((container) => isJsonObject(container) && container.name === 'runner')
}
