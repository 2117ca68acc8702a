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
  return releasesOf(sets).map((own) => {
    const content = {
      ...ifAny('labels', shared(own, 'labels')),
      ...ifAny('annotations', shared(own, 'annotations')),
      sets: Object.fromEntries(own.map(({ metadata, spec }) => [metadata.name, spec])),
    }
    const namespace = own[0]?.metadata.namespace
    return { file: `values${namespace === undefined ? '' : `-${namespace}`}.yaml`, content }
  })
}

/** Returns the labels and annotations that the values of the chart cannot hold, as `team of ci/linux`. */
export function leftOutOfValues(sets: readonly ImportedSet[]): readonly string[] {
  return releasesOf(sets).flatMap((own) => [...lostOf(own, 'labels'), ...lostOf(own, 'annotations')])
}

function lostOf(own: readonly Document[], key: 'labels' | 'annotations'): readonly string[] {
  const kept = shared(own, key)
  return own.flatMap((document) => {
    const { name, namespace } = document.metadata
    const place = namespace === undefined ? name : `${namespace}/${name}`
    const lost = Object.keys(given(document, key)).filter((entry) => !(entry in kept))
    return lost.map((entry) => `${entry} of ${place}`)
  })
}

type Document = ImportedSet['document']

/** The sets of each namespace: one release of the chart. */
function releasesOf(sets: readonly ImportedSet[]): readonly (readonly Document[])[] {
  const documents = sets.map(({ document }) => document)
  const namespaces = [...new Set(documents.map(({ metadata }) => metadata.namespace))]
  return namespaces.map((namespace) => documents.filter(({ metadata }) => metadata.namespace === namespace))
}

/** The chart gives the same labels to all sets, so only those that all have are in its values. */
function shared(own: readonly Document[], key: 'labels' | 'annotations'): JsonObject {
  const [first = {}, ...others] = own.map((document) => given(document, key))
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value)),
  )
}

function given({ metadata }: Document, key: 'labels' | 'annotations'): JsonObject {
  return (metadata[key] ?? {}) as JsonObject
}

function ifAny(key: string, entries: JsonObject): JsonObject {
  return Object.keys(entries).length > 0 ? { [key]: entries } : {}
}

/** Returns the sets whose name and namespace another set has, too. They go to different clusters, or one replaces the other. */
export function twins(sets: readonly ImportedSet[]): readonly string[] {
  const names = sets.map(({ document: { metadata } }) =>
    `${metadata.namespace ?? ''}/${metadata.name}`.replace(/^\//, ''),
  )
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}
