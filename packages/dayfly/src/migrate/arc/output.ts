// Arranges RunnerSets in documents: one for each set, or the values of the chart dayfly-runner-set for each namespace.
import type { JsonObject } from '@dayfly/kit/read-json'
import type { ImportedSet } from './import.ts'

export type OutputDocument = { readonly file: string; readonly content: object }

/** Returns one document for each set. A name that two sets have is used with the namespace, and then with a number. */
export function runnerSetDocuments(sets: readonly ImportedSet[]): readonly OutputDocument[] {
  const taken = new Set<string>()
  return sets.map(({ document }) => {
    const { name, namespace } = document.metadata
    const free = (stem: string) => !taken.has(stem)
    const stems = [name, ...(namespace === undefined ? [] : [`${namespace}-${name}`])]
    let stem = stems.find(free)
    for (let number = 2; stem === undefined; number++) stem = [`${name}-${number}`].find(free)
    taken.add(stem)
    return { file: `${stem}.yaml`, content: document }
  })
}

/** Returns the values of one release of the chart for each namespace. Sets of one name and namespace would be one set. */
export function chartValues(sets: readonly ImportedSet[]): readonly OutputDocument[] {
  const namespaces = [...new Set(sets.map(({ document }) => document.metadata.namespace))]
  return namespaces.map((namespace) => {
    const own = sets.filter(({ document }) => document.metadata.namespace === namespace).map(({ document }) => document)
    const content = {
      ...shared(
        own.map(({ metadata }) => metadata),
        'labels',
      ),
      ...shared(
        own.map(({ metadata }) => metadata),
        'annotations',
      ),
      sets: Object.fromEntries(own.map(({ metadata, spec }) => [metadata.name, spec])),
    }
    return { file: `values${namespace === undefined ? '' : `-${namespace}`}.yaml`, content }
  })
}

/** The chart gives the same labels to all sets, so only those that all have are in its values. */
function shared(metadata: readonly JsonObject[], key: 'labels' | 'annotations'): JsonObject {
  const [first = {}, ...others] = metadata.map((one) => (one[key] ?? {}) as JsonObject)
  const kept = Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value))
  return kept.length > 0 ? { [key]: Object.fromEntries(kept) } : {}
}

/** Returns the sets whose name and namespace another set has, too. They go to different clusters, or one replaces the other. */
export function twins(sets: readonly ImportedSet[]): readonly string[] {
  const names = sets.map(({ document: { metadata } }) =>
    `${metadata.namespace ?? ''}/${metadata.name}`.replace(/^\//, ''),
  )
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}
