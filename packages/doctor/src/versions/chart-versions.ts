// Reads the Kubernetes versions that charts allow (`kubeVersion` in Chart.yaml), for the files of each chart.
import { textAt } from '@dayfly/kit/read-json'
import type { VersionFact } from '../facts.ts'
import type { SourceFile } from '../read/decode/document.ts'
import { parseYaml } from '../read/yaml/parse.ts'
import { supportedMinors } from '../version-fact.ts'
import { minorsWithin } from './version-range.ts'

export type ChartVersion = {
  /** The path of the Chart.yaml. */
  readonly file: string
  /** The range as written. */
  readonly range: string
  readonly version: VersionFact
}

/** Returns the charts among the files that name known versions. */
export function chartVersions(files: readonly SourceFile[]): readonly ChartVersion[] {
  return files.flatMap(({ path, text }) => {
    if (!/(^|[/\\])Chart\.ya?ml$/.test(path) || !text.includes('kubeVersion')) return []
    const parsed = parseYaml(text)
    const range = 'value' in parsed ? textAt(parsed.value, 'kubeVersion') : undefined
    const minors = range === undefined ? undefined : minorsWithin(range, supportedMinors)
    if (range === undefined || !minors || minors.length === 0) return []
    return [{ file: path, range, version: { minors, declared: false, from: `kubeVersion ${range} of ${path}` } }]
  })
}

/** Returns the chart of a file: as its template, its values, or a part of a chart in it. The innermost chart with a version wins. */
export function chartOf(file: string, charts: readonly ChartVersion[]): ChartVersion | undefined {
  const around = charts.filter((chart) => {
    const folder = chart.file.slice(0, chart.file.search(/Chart\.ya?ml$/))
    return file.startsWith(folder) && /^(?:(?:templates|charts)[/\\].*|[^/\\]+)$/.test(file.slice(folder.length))
  })
  return around.sort((left, right) => right.file.length - left.file.length)[0]
}
