// Recognizes patches of kustomize. They look like objects, but a missing field means nothing there.
import path from 'node:path'
import type { Path } from '@dayfly/kit/read-json'
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { SourceFile } from './document.ts'
import { parseYaml } from './parse.ts'

const lists = ['patches', 'patchesStrategicMerge', 'patchesJson6902']

/** Returns the patch files that a kustomization names, with the path of that kustomization. */
export function patchFiles(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const patches = new Map<string, string>()
  for (const file of files) {
    if (!isKustomization(file.path)) continue
    const parsed = parseYaml(file.text)
    const value = 'value' in parsed ? parsed.value : undefined
    for (const list of lists) {
      for (const entry of listAt(value, list)) {
        const named = textAt(entry) ?? textAt(entry, 'path')
        if (named !== undefined && !named.includes('\n'))
          patches.set(path.join(path.dirname(file.path), named), file.path)
      }
    }
  }
  return patches
}

/** Whether the string is a patch inside the kustomization itself. */
export function isPatchString(file: SourceFile, at: Path): boolean {
  return isKustomization(file.path) && lists.includes(String(at[0]))
}

export function isKustomization(file: string): boolean {
  return /^kustomization\.ya?ml$|^Kustomization$/.test(path.basename(file))
}
