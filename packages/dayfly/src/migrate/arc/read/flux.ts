// Finds ARC's runners in Flux: HelmReleases with their values, ConfigMaps that they name, and files of a kustomization.
import { chartReleases } from '@dayfly/doctor/arc/chart-releases'
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import { listAt, type Path, textAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Values } from '../values.ts'
import { assemble, describesRunners, layerOf, unreadLine } from './assemble.ts'
import { chartIn } from './chart-files.ts'
import { type FoundReleases, noReleases, together } from './found-releases.ts'
import { fileBeside, type Input, isBelow, readValuesFile, valuesIn, valuesInText } from './input.ts'
import { typedValue, valuesOfSettings } from './set-path.ts'

export function fluxSets(input: Input): FoundReleases {
  const runners = numbersOf(input, 'gha-runner-scale-set')
  const controllers = numbersOf(input, 'gha-runner-scale-set-controller')
  const found = input.objects
    .filter(
      ({ kind, value, number }) => kind === 'object' && value['kind'] === 'HelmRelease' && !controllers.has(number),
    )
    .map((object) => fromRelease(input, object, runners.has(object.number)))
  return together(found)
}

function numbersOf({ facts }: Input, chart: Parameters<typeof chartReleases>[1]): ReadonlySet<number> {
  return new Set(chartReleases(facts, chart).flatMap(({ fact }) => fact.document ?? []))
}

function fromRelease(input: Input, object: SourceObject, isChart: boolean): FoundReleases {
  const file = object.document.file.path
  const own = valuesIn(object, ['spec', 'values'])
  const inline = input.objects.filter((one) => one.kind === 'values' && isBelow(one, object, []))
  const chart = isChart ? undefined : chartIn(input, textAt(object.value, 'spec', 'chart', 'spec', 'chart'))
  if (!isChart && !chart && inline.length === 0) return noReleases
  const from = listAt(object.value, 'spec', 'valuesFrom').map((_, index) => namedLayer(input, object, index))
  const notes = from.flatMap(({ note }) => note ?? [])
  const layers = [...from.flatMap(({ layer }) => layer ?? []), ...(own ? [own] : [])]
  const name = textAt(object.value, 'metadata', 'name')
  const target = textAt(object.value, 'spec', 'targetNamespace')
  const releases = assemble({
    form: 'Flux HelmRelease',
    file,
    at: object.path,
    name: textAt(object.value, 'spec', 'releaseName') ?? (target === undefined ? name : `${target}-${name}`),
    namespace: target ?? textAt(object.value, 'metadata', 'namespace') ?? namespaceAround(input, file),
    isChart,
    chart,
    layers,
    notes,
  }).filter(({ values }) => describesRunners(values))
  const used = [...inline, ...from.flatMap(({ used: one }) => one ?? [])]
  const empty = unreadLine(file, [...object.path, 'spec'], 'The values of this HelmRelease are not here.')
  return { releases, used, unread: releases.length > 0 ? [] : notes.length > 0 ? notes : [empty] }
}

type Named = {
  readonly layer: Values | undefined
  readonly note: Line | undefined
  readonly used?: readonly SourceObject[]
}

function namedLayer(input: Input, object: SourceObject, index: number): Named {
  const at: Path = ['spec', 'valuesFrom', index]
  const kind = textAt(object.value, ...at, 'kind') ?? 'ConfigMap'
  const name = textAt(object.value, ...at, 'name') ?? ''
  const key = textAt(object.value, ...at, 'valuesKey') ?? 'values.yaml'
  const file = object.document.file.path
  const map = input.objects.find(
    ({ value }) => kind === 'ConfigMap' && value['kind'] === kind && textAt(value, 'metadata', 'name') === name,
  )
  const target = textAt(object.value, ...at, 'targetPath')
  if (target !== undefined) {
    const text = map && textAt(map.value, 'data', key)
    const known = { name: target, value: typedValue(text ?? `\${${name}}`), isComputed: text === undefined }
    return { layer: valuesOfSettings(file, [{ ...known, at: [...object.path, ...at] }]), note: undefined }
  }
  const missing = unreadLine(file, [...object.path, ...at], `The values in the ${kind} ${name} are not in the input.`)
  if (kind !== 'ConfigMap') return { layer: undefined, note: missing }
  const layer = map && valuesInText(map, ['data', key])
  if (map && layer) return { layer, note: undefined, used: input.objects.filter((one) => isIn(one, map)) }
  return layerOf(generatedFile(input, file, name, key), missing)
}

function isIn({ document }: SourceObject, map: SourceObject): boolean {
  return document.host?.document === map.document
}

/** Returns the file from which the kustomization of the same folder generates the ConfigMap. */
function generatedFile(input: Input, beside: string, name: string, key: string) {
  const kustomization = kustomizationAround(input, beside)
  const read = kustomization && readValuesFile(kustomization)
  if (!kustomization || !read || typeof read === 'string') return undefined
  const generator = listAt(read.root, 'configMapGenerator').find((one) => textAt(one, 'name') === name)
  for (const entry of listAt(generator, 'files')) {
    const [, given, path = ''] = /^(?:([^=]+)=)?(.+)$/.exec(String(entry)) ?? []
    if ((given ?? path.split('/').at(-1)) === key) return fileBeside(input, kustomization.path, path)
  }
  return undefined
}

function kustomizationAround(input: Input, beside: string) {
  return ['yaml', 'yml']
    .map((end) => fileBeside(input, beside, `kustomization.${end}`))
    .find((file) => file !== undefined)
}

const foldersMax = 6

/** Returns the namespace that Flux, the kustomization of the folder, or one around it gives to its objects. */
export function namespaceAround(input: Input, beside: string): string | undefined {
  const ofFlux = targetNamespace(input, beside)
  if (ofFlux !== undefined) return ofFlux
  for (let up = 0; up < foldersMax; up++) {
    const text = ['yaml', 'yml'].map(
      (end) => fileBeside(input, beside, `${'../'.repeat(up)}kustomization.${end}`)?.text,
    )
    const namespace = /^namespace:[ \t]*["']?([a-z0-9-]+)/m.exec(text.find(Boolean) ?? '')?.[1]
    if (namespace !== undefined) return namespace
  }
  return undefined
}

/** Returns the target namespace of the Kustomization of Flux whose folder is nearest to the file. */
function targetNamespace({ objects }: Input, beside: string): string | undefined {
  const found = objects.flatMap(({ value }) => {
    const namespace = textAt(value, 'spec', 'targetNamespace')
    const folder = `/${textAt(value, 'spec', 'path')?.replace(/^(\.?\/)+|\/+$/g, '') ?? ''}/`
    const isFlux = /^kustomize\.toolkit\.fluxcd\.io\//.test(String(value['apiVersion']))
    return isFlux && namespace !== undefined && `/${beside}`.includes(folder) ? [{ namespace, folder }] : []
  })
  return found.sort((one, other) => other.folder.length - one.folder.length)[0]?.namespace
}
