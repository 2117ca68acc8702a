// Walks a document's value: the objects in it (also the items of a List and those nested in values), and the strings that look like manifests.
import type { Path } from '../finding.ts'
import { isRecord } from '../raw.ts'
import { mayHoldManifest } from './split.ts'

export type FoundObject = {
  readonly path: Path
  readonly kind: 'object' | 'values'
  readonly value: Readonly<Record<string, unknown>>
}
export type Findings = {
  readonly objects: readonly FoundObject[]
  readonly strings: readonly { readonly path: Path; readonly text: string }[]
  /** The walk ended early: there is more than it may visit. */
  readonly cut: boolean
}

const visitsMax = 200_000
const depthMax = 64
/** Below these keys an object (of Flux or Argo CD) holds values of a chart. */
const valuesKeys: ReadonlySet<string> = new Set(['values', 'valuesObject'])

export function findObjects(root: unknown): Findings {
  const objects: FoundObject[] = []
  const strings: { path: Path; text: string }[] = []
  let visits = 0
  let cut = false
  const visit = (value: unknown, path: Path, inside: boolean): void => {
    if (++visits > visitsMax || path.length > depthMax) {
      cut = true
      return
    }
    if (typeof value === 'string') {
      if (value.includes('\n') && mayHoldManifest(value)) strings.push({ path, text: value })
    } else if (Array.isArray(value)) value.forEach((item, index) => void visit(item, [...path, index], inside))
    else if (isRecord(value)) {
      const kind = kindOf(value, inside)
      if (kind) objects.push({ path, kind, value })
      const within = (key: string) => (kind === 'object' || inside) && !valuesKeys.has(key)
      for (const key of Object.keys(value)) visit(value[key], [...path, key], within(key))
    }
  }
  visit(root, [], false)
  return { objects, strings, cut }
}

function kindOf(value: Readonly<Record<string, unknown>>, inside: boolean): FoundObject['kind'] | undefined {
  const { apiVersion, kind } = value
  if (typeof apiVersion === 'string' && typeof kind === 'string') {
    // References to objects carry both words as well, but nothing that an object has.
    const isObject = 'metadata' in value || 'spec' in value || 'data' in value
    return isObject && !(kind.endsWith('List') && Array.isArray(value.items)) ? 'object' : undefined
  }
  return !inside && isRunnerValues(value) ? 'values' : undefined
}

/** The values of ARC's chart `gha-runner-scale-set`, alone or below a dependency's name. */
function isRunnerValues(value: Readonly<Record<string, unknown>>): boolean {
  if ('apiVersion' in value || 'kind' in value) return false
  const named = 'githubConfigUrl' in value || 'githubConfigSecret' in value || 'runnerScaleSetName' in value
  const mode = isRecord(value.containerMode) && 'type' in value.containerMode
  const template = isRecord(value.template) && isRecord(value.template.spec)
  return template ? named || mode || hasRunner(value.template) : named && mode
}

function hasRunner(template: unknown): boolean {
  const spec = isRecord(template) && isRecord(template.spec) ? template.spec : undefined
  const containers = Array.isArray(spec?.containers) ? spec.containers : []
  return containers.some((container) => isRecord(container) && container.name === 'runner')
}
