// Finds releases of ARC's two charts: in Argo CD, in Flux, and in files that install charts.
// Such a file is a chart with dependencies, a helmfile, a kustomization, or a file of Terraform.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, listAt, textAt } from '@dayfly/kit/read-json'
import { chartLists, valuesVersion } from '../chart-kinds.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { argoReleases } from './argo-releases.ts'
import { type ArcChart, arcChart, type ChartRelease, type Said, saidAt } from './chart-release.ts'

/** Returns the releases tool by tool, in the order of the objects. */
export function chartReleases(facts: Facts, chart: ArcChart): readonly ChartRelease[] {
  const found = [...argoReleases(facts), ...fluxReleases(facts), ...listedReleases(facts)]
  return found.filter((release) => release.chart === chart)
}

function fluxReleases(facts: Facts): readonly ChartRelease[] {
  return objectsOf(facts, 'HelmRelease').flatMap((fact) => {
    const image = saidAt(fact, ['spec', 'values', 'image', 'tag'])
    const cluster = textAt(fact.raw, 'spec', 'kubeConfig', 'secretRef', 'name')
    const path: Path = fieldsAt(fact.raw, 'spec', 'chartRef') ? ['spec', 'chartRef'] : ['spec', 'chart', 'spec']
    const from = path[1] === 'chartRef' ? referredChart(facts, fact) : namedChart(fact, path)
    return from.chart ? [{ fact, chart: from.chart, path, version: from.version, image, cluster }] : []
  })
}

type Source = { readonly chart: ArcChart | undefined; readonly version: Said | undefined }

function namedChart(fact: ObjectFact, path: Path): Source {
  return { chart: arcChart(textAt(fact.raw, ...path, 'chart')), version: saidAt(fact, [...path, 'version']) }
}

/** Returns the OCIRepository or HelmChart of a HelmRelease. If several have one name, a version counts only if all agree. */
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
  const versions = sources.map((each) => saidAt(each, ['spec', 'ref', 'tag']))
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
        const version = saidAt(fact, [...path, 'version'])
        return chart ? [{ fact, chart, path, version, image: undefined, cluster: textAt(entry, 'kubeContext') }] : []
      }),
    )
  })
}
