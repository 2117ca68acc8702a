// Finds ARC's runners in lists of charts: a helmfile's releases and a kustomization's helmCharts.
import { arcChart } from '@dayfly/doctor/arc/chart-release'
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import { isJsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Form, Release } from '../release.ts'
import type { Values } from '../values.ts'
import { assemble, describesRunners, layerOf, unreadLine, valuePaths } from './assemble.ts'
import type { FoundReleases } from './found-releases.ts'
import { branchNotes, fileBeside, type Input, isBelow, valuesIn } from './input.ts'
import { type Setting, typedValue, valuesOfSettings } from './set-path.ts'

type Kind = { readonly list: string; readonly form: Form; readonly nameKeys: readonly string[] }

const kinds: readonly Kind[] = [
  { list: 'releases', form: 'helmfile', nameKeys: ['name'] },
  { list: 'helmCharts', form: 'kustomization', nameKeys: ['releaseName', 'name'] },
]

export function listedSets(input: Input): FoundReleases {
  const releases: Release[] = []
  const used: SourceObject[] = []
  const unread: Line[] = []
  for (const object of input.objects) {
    for (const kind of object.kind === 'charts' ? kinds : []) {
      for (const [index, entry] of listAt(object.value, kind.list).entries()) {
        const path: Path = [kind.list, index]
        const chart = arcChart(textAt(entry, 'chart') ?? textAt(entry, 'name'))
        if (chart === 'gha-runner-scale-set-controller') continue
        const inside = input.objects.filter((one) => one.kind === 'values' && isBelow(one, object, path))
        const found = fromEntry(input, { object, path, kind, isChart: chart !== undefined })
        used.push(...inside)
        releases.push(...found.releases)
        unread.push(...found.unread)
      }
    }
  }
  return { releases, used, unread }
}

type Entry = { readonly object: SourceObject; readonly path: Path; readonly kind: Kind; readonly isChart: boolean }

function fromEntry(input: Input, { object, path, kind, isChart }: Entry): Omit<FoundReleases, 'used'> {
  const file = object.document.file.path
  const named = layersOf(input, object, path)
  const settings = settingsOf(object, path)
  const layers = [...named.layers, ...(settings.length > 0 ? [valuesOfSettings(file, settings)] : [])]
  if (!isChart && !layers.some((layer) => valuePaths(layer).length > 0)) return { releases: [], unread: [] }
  const name = kind.nameKeys.map((key) => textAt(object.value, ...path, key)).find((text) => text !== undefined)
  const releases = assemble({
    form: kind.form,
    file,
    at: [...object.path, ...path],
    name,
    namespace: textAt(object.value, ...path, 'namespace') ?? textAt(object.value, 'namespace'),
    isChart,
    layers,
    notes: named.notes,
  }).filter(({ values }) => describesRunners(values))
  const empty = unreadLine(file, [...object.path, ...path], 'The values of this release are not here.')
  return { releases, unread: releases.length > 0 ? [] : named.notes.length > 0 ? named.notes : [empty] }
}

/** Returns the named files and the maps, in their order. */
function layersOf(input: Input, object: SourceObject, path: Path) {
  const file = object.document.file.path
  const layers: Values[] = []
  const notes: Line[] = [...branchNotes(object, path)]
  const members: readonly Path[] = [
    [...path, 'valuesFile'],
    ...listAt(object.value, ...path, 'additionalValuesFiles').map((_, index) => [
      ...path,
      'additionalValuesFiles',
      index,
    ]),
    [...path, 'valuesInline'],
    ...listAt(object.value, ...path, 'values').map((_, index) => [...path, 'values', index]),
  ]
  for (const at of members) {
    const member = valueAt(object.value, ...at)
    if (isJsonObject(member)) {
      const inline = valuesIn(object, at)
      if (inline) layers.push(inline)
    } else if (typeof member === 'string') {
      const missing = unreadLine(file, [...object.path, ...at], `The values file ${member} is not in the input.`)
      const { layer, note } = layerOf(fileBeside(input, file, member), missing)
      if (layer) layers.push(layer)
      if (note) notes.push(note)
    }
  }
  return { layers, notes }
}

function settingsOf(object: SourceObject, path: Path): readonly Setting[] {
  return listAt(object.value, ...path, 'set').flatMap((entry, index) => {
    const at = [...object.path, ...path, 'set', index]
    const name = textAt(entry, 'name')
    const value = valueAt(entry, 'value')
    if (name === undefined) return []
    return [
      {
        name,
        value: typeof value === 'string' ? typedValue(value) : value,
        isComputed: /\{\{|\uE000/.test(String(value)),
        at,
      },
    ]
  })
}
