// Makes releases of the layers of values that one delivery tool merges.

import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import { findObjects } from '@dayfly/doctor/read/decode/find-objects'
import type { Path } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { Form, Release } from '../release.ts'
import { mergeValues, showPath, type Values, valuesBelow } from '../values.ts'
import type { ChartFiles } from './chart-files.ts'
import { readValuesFile } from './input.ts'

export type Delivery = {
  readonly form: Form
  readonly file: string
  readonly at: Path
  readonly name: string | undefined
  readonly namespace: string | undefined
  /** The chart is ARC's own, and no chart with it as a dependency. */
  readonly isChart: boolean
  /** The chart around ARC's, if it is in the input. */
  readonly chart?: ChartFiles | undefined
  readonly layers: readonly Values[]
  readonly notes: readonly Line[]
}

export function assemble({ isChart, chart, at, ...delivery }: Delivery): readonly Release[] {
  const layers = chart?.values ? [chart.values, ...delivery.layers] : delivery.layers
  const values = mergeValues(layers)
  const files = layers.map((layer) => layer.placeOf(['values']).file)
  const { form, file, name, namespace, notes } = delivery
  const base = { form, file, name, namespace, notes, at: showPath(at), made: {}, files }
  const paths = isChart ? [[]] : (chart?.keys.map((key): Path => [key]) ?? valuePaths(values))
  return paths.map((path) => ({
    ...base,
    at: base.at === '' ? showPath(path) : base.at,
    values: path.length === 0 ? values : valuesBelow(values, path),
  }))
}

/** Returns where ARC's values are below the values of another chart. */
export function valuePaths({ root }: Pick<Values, 'root'>): readonly Path[] {
  return findObjects(root)
    .objects.filter(({ kind }) => kind === 'values')
    .map(({ path }) => path)
}

/** Whether these values alone describe a set of runners. */
export function describesRunners({ root }: Pick<Values, 'root'>): boolean {
  return ['githubConfigUrl', 'githubConfigSecret', 'containerMode', 'template'].some((key) => root[key] !== undefined)
}

/** A part of a release that the import could not read. */
export function unreadLine(file: string, at: Path, what: string): Line {
  const sentence = `${what} Give these values to the import with --values.`
  return { file, path: showPath(at), is: 'decide', sentence }
}

/** Reads a named values file, or notes why not. `isTemplate`: Terraform fills in `${…}`. */
export function layerOf(
  file: SourceFile | undefined,
  missing: Line,
  isTemplate = false,
): { readonly layer: Values | undefined; readonly note: Line | undefined } {
  const read = file && readValuesFile(file, isTemplate)
  if (read === undefined) return { layer: undefined, note: missing }
  if (typeof read === 'string') return { layer: undefined, note: { ...missing, sentence: read } }
  return { layer: read, note: undefined }
}
