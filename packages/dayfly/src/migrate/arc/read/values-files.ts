// Reads values files of one release, merged in their order.
import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import type { Release } from '../release.ts'
import { mergeValues, showPath, type Values, valuesBelow } from '../values.ts'
import { describesRunners, valuePaths } from './assemble.ts'
import { readValuesFile, type Unread } from './input.ts'

export function releasesOfValues(files: readonly SourceFile[]): {
  readonly releases: readonly Release[]
  readonly unread: readonly Unread[]
} {
  const layers: Values[] = []
  const unread: Unread[] = []
  for (const file of files) {
    const read = readValuesFile(file)
    if (typeof read === 'string') unread.push({ file: file.path, sentence: read })
    else layers.push(read)
  }
  if (unread.length > 0 || layers.length === 0) return { releases: [], unread }
  const values = mergeValues(layers)
  const found = valuePaths(values)
  const paths = found.length === 0 && describesRunners(values) ? [[]] : found
  const file = files.map(({ path }) => path).join(', ')
  const releases = paths.map((path) => ({
    form: 'values file' as const,
    file,
    at: showPath(path),
    name: undefined,
    namespace: undefined,
    values: valuesBelow(values, path),
    notes: [],
    files: [],
    made: {},
  }))
  const nothing = { file, sentence: "They have no values of ARC's chart gha-runner-scale-set." }
  return { releases, unread: releases.length === 0 ? [nothing] : [] }
}
