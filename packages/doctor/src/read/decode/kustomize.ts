// Recognizes patches of kustomize. They look like objects, but a missing field means nothing there.
import path from 'node:path'
import type { Path } from '@dayfly/kit/read-json'
import { listAt, textAt } from '@dayfly/kit/read-json'
import { parseYaml } from '../yaml/parse.ts'
import type { DecodedFile, SourceFile } from './document.ts'

const lists = ['patches', 'patchesStrategicMerge', 'patchesJson6902']

/** Returns the patch files that kustomizations name, with the path of their kustomization. */
export function patchFiles(kustomizations: Iterable<DecodedFile>): ReadonlyMap<string, string> {
  const patches = new Map<string, string>()
  for (const decoded of kustomizations) {
    const { file } = decoded
    const value = file.text.includes('patch') ? kustomizationValue(decoded) : undefined
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

/** Returns the content of a kustomization. Most name no kind, and then the decoder has not parsed them. */
export function kustomizationValue({ file, documents }: DecodedFile): unknown {
  const [first] = documents.filter(({ host }) => !host)
  if (first) return first.value
  const parsed = parseYaml(file.text)
  return 'value' in parsed ? parsed.value : undefined
}

/** Whether the string is a patch inside the kustomization itself. */
export function isPatchString(file: SourceFile, at: Path): boolean {
  return isKustomization(file.path) && lists.includes(String(at[0]))
}

export function isKustomization(file: string): boolean {
  return /^kustomization\.ya?ml$|^Kustomization$/.test(path.basename(file))
}
