// Reads what the kustomizations of the input bring together: files and folders, as written paths.
import { fieldsAt, listAt, textAt, textsAt } from '@dayfly/kit/read-json'
import type { DecodedFile } from '../decode/document.ts'
import { isKustomization, kustomizationValue } from '../decode/kustomize.ts'
import { folderOf, joined } from './tree.ts'

export type Kustomization = {
  readonly file: string
  /** The paths of its files and folders, from the top of the input. A path may name nothing. */
  readonly resources: readonly string[]
}

/** Maps folders to their kustomization. */
export function kustomizationsIn(files: readonly DecodedFile[]): ReadonlyMap<string, Kustomization> {
  const found = new Map<string, Kustomization>()
  for (const decoded of files) {
    const { path } = decoded.file
    if (!isKustomization(path)) continue
    const folder = folderOf(path)
    const resources = written(kustomizationValue(decoded)).flatMap((entry) => joined(folder, entry) ?? [])
    found.set(folder, { file: path, resources })
  }
  return found
}

/** Includes files of values and of generated ConfigMaps: charts and workloads of the same cluster read them. */
function written(value: unknown): readonly string[] {
  const generated = ['configMapGenerator', 'secretGenerator'].flatMap((key) =>
    listAt(value, key).flatMap((each) => textsAt(each, 'files').map((entry) => entry.replace(/^[^=/]*=/, ''))),
  )
  const values = listAt(value, 'helmCharts').flatMap((each) => [
    ...[textAt(fieldsAt(each), 'valuesFile')].filter((entry) => entry !== undefined),
    ...textsAt(each, 'additionalValuesFiles'),
  ])
  return [...['resources', 'bases', 'components'].flatMap((key) => textsAt(value, key)), ...generated, ...values]
}
