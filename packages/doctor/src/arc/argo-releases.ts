// Finds ARC's charts in Argo CD: in Applications, and in ApplicationSets with written list elements.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { arcChart, type ChartRelease, isVersion, type Said } from './chart-release.ts'

export function argoReleases(facts: Facts): readonly ChartRelease[] {
  return argoApplications(facts).flatMap(releasesOf)
}

/** Returns the Applications, and those that an ApplicationSet makes of its written elements. */
export function argoApplications(facts: Pick<Facts, 'objects'>): readonly Application[] {
  const applications = objectsOf(facts, 'Application').map((fact) => ({ fact, spec: ['spec'], element: undefined }))
  return [...applications, ...objectsOf(facts, 'ApplicationSet').flatMap(made)]
}

/** A written Application, or one from a template and a list element. `element` is undefined if its values are unknown. */
export type Application = { readonly fact: ObjectFact; readonly spec: Path; readonly element: Path | undefined }

/** Returns none if a part that is not read changes the template. */
function made(fact: ObjectFact): readonly Application[] {
  const spec: Path = ['spec', 'template', 'spec']
  const generators = listAt(fact.raw, 'spec', 'generators')
  const isChanged = generators.some((each) =>
    Object.values(fieldsAt(each) ?? {}).some((of) => fieldsAt(of, 'template')),
  )
  if (isChanged || valueAt(fact.raw, 'spec', 'templatePatch') !== undefined) return []
  const lists = generators.map(listOf)
  if (lists.includes(undefined)) return [{ fact, spec, element: undefined }]
  return lists.flatMap((list = [], index) =>
    list.map((_, at) => ({ fact, spec, element: ['spec', 'generators', index, 'list', 'elements', at] })),
  )
}

/** Returns undefined for any generator but a plain list. */
function listOf(generator: unknown): readonly unknown[] | undefined {
  const keys = Object.keys(fieldsAt(generator) ?? {})
  const plain = keys.join() === 'list' && valueAt(generator, 'list', 'elementsYaml') === undefined
  return plain ? listAt(generator, 'list', 'elements') : undefined
}

function releasesOf(application: Application): readonly ChartRelease[] {
  const { fact, spec } = application
  const several = listAt(fact.raw, ...spec, 'sources').map((_, index): Path => [...spec, 'sources', index])
  const sources: readonly Path[] = fieldsAt(fact.raw, ...spec, 'source') ? [[...spec, 'source'], ...several] : several
  return sources.flatMap((path) => {
    const [repoUrl, inGit, named] = ['repoURL', 'path', 'chart'].map((key) => filled(application, [...path, key])?.text)
    const chart = arcChart(named) ?? arcChart(inGit) ?? (repoUrl?.startsWith('oci://') ? arcChart(repoUrl) : undefined)
    const version = said(application, [...path, 'targetRevision'])
    const image = said(application, [...path, 'helm', 'valuesObject', 'image', 'tag'])
    return chart ? [{ fact, chart, path, version, image, cluster: clusterOf(application) }] : []
  })
}

function said(application: Application, at: Path): Said | undefined {
  const { text, path } = filled(application, at) ?? { text: undefined, path: at }
  return isVersion(text) ? { fact: application.fact, path, version: text } : undefined
}

/** A marker that names a value of an element. */
export const marker = /\{\{-?\s*\.?([\w.-]+?)\s*-?\}\}/g

/**
 * Returns the text at this path with the element's values filled in, and the path of the text or of the first of these values.
 * Unknown values stay markers.
 */
function filled({ fact, element }: Application, at: Path): { readonly text: string; readonly path: Path } | undefined {
  const written = textAt(fact.raw, ...at)
  let path = at
  const text = written?.replace(marker, (whole, name: string) => {
    const there = element && [...element, ...name.split('.')]
    const value = there && valueAt(fact.raw, ...there)
    if (there === undefined || typeof value !== 'string') return whole
    if (path === at) path = there
    return value
  })
  return text === undefined ? undefined : { text, path }
}

const ownCluster = /^(https:\/\/kubernetes\.default(\.svc)?\/?|in-cluster)$/

/** A computed cluster is the same only for the same generators. */
function clusterOf(application: Application): string | undefined {
  const { fact, spec } = application
  const at = (key: string) => filled(application, [...spec, 'destination', key])?.text
  const name = at('server') ?? at('name')
  if (name === undefined) return undefined
  if (name.includes('{{')) return `${name} of ${JSON.stringify(valueAt(fact.raw, 'spec', 'generators'))}`
  return ownCluster.test(name) ? 'in-cluster' : name
}
