// Charts of the input that have ARC's chart as a dependency: their own values are below those of each release.
import { arcChart } from '@dayfly/doctor/arc/chart-release'
import type { SourceFile, SourceObject } from '@dayfly/doctor/read/decode/document'
import { listAt, type Path, textAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import { showPath, type Values } from '../values.ts'
import { fileBeside, fileEndingIn, type Input, readValuesFile } from './input.ts'

export type ChartFiles = {
  readonly values: Values | undefined
  /** The keys of the values that the chart gives to ARC's chart. */
  readonly keys: readonly string[]
}

/** Returns the chart in a folder of the repository. Undefined: it is not here, or does not depend on ARC's chart. */
export function chartIn(input: Input, folder: string | undefined): ChartFiles | undefined {
  if (folder === undefined || !folder.includes('/')) return undefined
  const chart = fileEndingIn(input, `${folder.replace(/\/+$/, '')}/Chart.yaml`)
  const keys = chart ? keysOf(chart) : []
  if (!chart || keys.length === 0) return undefined
  const file = fileBeside(input, chart.path, 'values.yaml')
  const values = file && readValuesFile(file)
  return { values: typeof values === 'string' ? undefined : values, keys }
}

/** Helm gives the values below the alias of a dependency, or below its name. */
function keysOf(chart: SourceFile): readonly string[] {
  const read = readValuesFile(chart)
  if (typeof read === 'string') return []
  return listAt(read.root, 'dependencies').flatMap((one) => {
    const name = textAt(one, 'name')
    return name !== undefined && arcChart(name) === 'gha-runner-scale-set' ? [textAt(one, 'alias') ?? name] : []
  })
}

export type Unused = { readonly objects: ReadonlySet<SourceObject>; readonly lines: readonly Line[] }

/** Finds parts of a chart's own values that look like values of ARC, but that the chart gives to no dependency. */
export function unusedParts(input: Input): Unused {
  const found = [...input.files.values()].flatMap((chart) => {
    const keys = /(^|\/)Chart\.yaml$/.test(chart.path) ? keysOf(chart) : []
    const file = keys.length > 0 ? fileBeside(input, chart.path, 'values.yaml') : undefined
    const isRead = (path: Path) => keys.includes(String(path[0]))
    return input.objects.filter(
      ({ kind, document, path }) => kind === 'values' && document.file === file && !isRead(path),
    )
  })
  const sentence = 'No dependency of the chart gets these values, so they are no set of runners.'
  const lines = found.map(
    ({ document, path }): Line => ({ file: document.file.path, path: showPath(path), is: 'dropped', sentence }),
  )
  return { objects: new Set(found), lines }
}
