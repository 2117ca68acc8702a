// Reads what the kustomizations of the input bring together: files and folders, as written paths.
import { fieldsAt, listAt, textAt, textsAt } from '@dayfly/kit/read-json'
import type { DecodedFile } from '../decode/document.ts'
import { isKustomization, kustomizationValue } from '../decode/kustomize.ts'
import { folderOf, joined } from './tree.ts'

export type Kustomization = {
  readonly file: string
  /** The paths of its files and folders, from the top of the input. A path may name nothing. */
  readonly resources: readonly string[]
  /** The namespace that it gives its resources. */
  readonly namespace: string | undefined
}

/** Maps folders to their kustomization. */
export function kustomizationsIn(files: readonly DecodedFile[]): ReadonlyMap<string, Kustomization> {
  const found = new Map<string, Kustomization>()
  for (const decoded of files) {
    const { path } = decoded.file
    if (!isKustomization(path)) continue
    const folder = folderOf(path)
    const value = kustomizationValue(decoded)
    const resources = written(value).flatMap((entry) => joined(folder, entry) ?? [])
    found.set(folder, { file: path, resources, namespace: textAt(fieldsAt(value), 'namespace') })
  }
  return found
}

/** Overlays are nested a few levels deep. The bound keeps the stack small for any input. */
const depthMax = 100

/**
 * Returns the namespace that the kustomizations around a file or folder give its objects: the outermost one decides. Undefined if
 * none gives one, or if several overlays use the same base and give different ones.
 */
export function namespaceGivenBy(
  kustomizations: ReadonlyMap<string, Kustomization>,
): (path: string) => string | undefined {
  const users = new Map<string, string[]>()
  for (const [folder, { resources }] of kustomizations) {
    for (const path of resources) users.set(path, [...(users.get(path) ?? []), folder])
  }
  const known = new Map<string, string | undefined>()
  const given = (path: string, depth = 0): string | undefined => {
    if (known.has(path)) return known.get(path)
    if (depth > depthMax) return undefined
    // Kustomizations that include each other end here.
    known.set(path, undefined)
    const outer = (folder: string) => given(folder, depth + 1) ?? kustomizations.get(folder)?.namespace
    const all = new Set((users.get(path) ?? []).map(outer))
    const [only] = all
    known.set(path, all.size === 1 ? only : undefined)
    return known.get(path)
  }
  return (path) => given(path)
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
