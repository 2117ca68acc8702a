// Where ARC's two charts are released: Argo CD Applications, Flux HelmReleases, and files that install charts (a chart with dependencies, a helmfile, a kustomization, Terraform).
import type { Facts, ObjectFact } from './facts.ts'
import { fieldsAt, listAt, textAt } from './fields.ts'
import type { Path } from './finding.ts'
import { objectsOf } from './live-pod.ts'
import { chartLists } from './sources/find-objects.ts'
import { valuesVersion } from './sources/object-ref.ts'

export type ArcChart = 'gha-runner-scale-set-controller' | 'gha-runner-scale-set'

/** A version that is written out, and where. */
export type Said = { readonly fact: ObjectFact; readonly path: Path; readonly version: string }

export type ChartRelease = {
  readonly fact: ObjectFact
  readonly chart: ArcChart
  /** Where its source, or its entry, begins. */
  readonly path: Path
  /** Of the chart; undefined: a range, or said elsewhere. */
  readonly version: Said | undefined
  /** Of the image that the values name in place of the chart's own. */
  readonly image: Said | undefined
  /** The cluster to which it is delivered, as its tool names it; undefined: not known. */
  readonly cluster: string | undefined
}

/** In the order of the objects, tool by tool. */
export function chartReleases(facts: Facts, chart: ArcChart): readonly ChartRelease[] {
  const found = [...argoReleases(facts), ...fluxReleases(facts), ...listedReleases(facts)]
  return found.filter((release) => release.chart === chart)
}

/** Whether two releases may meet in one cluster. */
export function mayMeet(one: Pick<ChartRelease, 'cluster'>, other: Pick<ChartRelease, 'cluster'>): boolean {
  return one.cluster === undefined || other.cluster === undefined || one.cluster === other.cluster
}

export function isVersion(text: string | undefined): text is string {
  return text !== undefined && /^v?\d+\.\d+\.\d+/.test(text)
}

function argoReleases(facts: Facts): readonly ChartRelease[] {
  return objectsOf(facts, 'Application').flatMap((fact) => {
    const several = listAt(fact.raw, 'spec', 'sources').map((_, index): Path => ['spec', 'sources', index])
    const sources: readonly Path[] = fieldsAt(fact.raw, 'spec', 'source') ? [['spec', 'source'], ...several] : several
    return sources.flatMap((path) => {
      const [repoUrl, inGit, named] = ['repoURL', 'path', 'chart'].map((key) => textAt(fact.raw, ...path, key))
      const chart =
        arcChart(named) ?? arcChart(inGit) ?? (repoUrl?.startsWith('oci://') ? arcChart(repoUrl) : undefined)
      const version = said(fact, [...path, 'targetRevision'])
      const image = said(fact, [...path, 'helm', 'valuesObject', 'image', 'tag'])
      return chart ? [{ fact, chart, path, version, image, cluster: argoCluster(fact) }] : []
    })
  })
}

const ownCluster = /^(https:\/\/kubernetes\.default(\.svc)?\/?|in-cluster)$/

function argoCluster({ raw }: ObjectFact): string | undefined {
  const name = textAt(raw, 'spec', 'destination', 'server') ?? textAt(raw, 'spec', 'destination', 'name')
  return name !== undefined && ownCluster.test(name) ? 'in-cluster' : name
}

function fluxReleases(facts: Facts): readonly ChartRelease[] {
  return objectsOf(facts, 'HelmRelease').flatMap((fact) => {
    const image = said(fact, ['spec', 'values', 'image', 'tag'])
    const cluster = textAt(fact.raw, 'spec', 'kubeConfig', 'secretRef', 'name')
    const path: Path = fieldsAt(fact.raw, 'spec', 'chartRef') ? ['spec', 'chartRef'] : ['spec', 'chart', 'spec']
    const from = path[1] === 'chartRef' ? referredChart(facts, fact) : namedChart(fact, path)
    return from.chart ? [{ fact, chart: from.chart, path, version: from.version, image, cluster }] : []
  })
}

type Source = { readonly chart: ArcChart | undefined; readonly version: Said | undefined }

function namedChart(fact: ObjectFact, path: Path): Source {
  return { chart: arcChart(textAt(fact.raw, ...path, 'chart')), version: said(fact, [...path, 'version']) }
}

/** The OCIRepository or HelmChart to which a HelmRelease refers. Several of one name: what they all say. */
function referredChart(facts: Facts, { object, raw }: ObjectFact): Source {
  const [kind = '', name = '', space] = ['kind', 'name', 'namespace'].map((key) => textAt(raw, 'spec', 'chartRef', key))
  const namespace = space ?? object.namespace
  const sources = objectsOf(facts, kind).filter(
    (each) =>
      each.object.name === name && (each.object.namespace ?? namespace) === (namespace ?? each.object.namespace),
  )
  const [first] = sources
  if (!first) return { chart: arcChart(name), version: undefined }
  if (kind === 'HelmChart') return namedChart(first, ['spec'])
  const versions = sources.map((each) => said(each, ['spec', 'ref', 'tag']))
  const agree = versions.every((each) => each?.version === versions[0]?.version)
  return { chart: arcChart(textAt(first.raw, 'spec', 'url')), version: agree ? versions[0] : undefined }
}

function listedReleases(facts: Facts): readonly ChartRelease[] {
  return objectsOf(facts, 'Charts').flatMap((fact) => {
    if (fact.object.apiVersion !== valuesVersion) return []
    return chartLists.flatMap((list) =>
      listAt(fact.raw, list).flatMap((entry, index) => {
        const path: Path = [list, index]
        const chart = arcChart(textAt(entry, 'chart') ?? textAt(entry, 'name'))
        const version = said(fact, [...path, 'version'])
        return chart ? [{ fact, chart, path, version, image: undefined, cluster: textAt(entry, 'kubeContext') }] : []
      }),
    )
  })
}

/** By the last part of a name, a path or a URL. */
function arcChart(text: string | undefined): ArcChart | undefined {
  const name = text?.replace(/\/$/, '').split('/').at(-1)
  return name === 'gha-runner-scale-set' || name === 'gha-runner-scale-set-controller' ? name : undefined
}

function said(fact: ObjectFact, path: Path): Said | undefined {
  const version = textAt(fact.raw, ...path)
  return isVersion(version) ? { fact, path, version } : undefined
}
