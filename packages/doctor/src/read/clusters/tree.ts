// The folders of the input, and the resolution of paths in them. A path that leads out of the input resolves to nothing.
import { posix } from 'node:path'
import { isUnknown } from '../template/template-value.ts'

export type Folder = { readonly files: string[]; readonly folders: string[] }
/** Maps the path of each folder to its entries, which are full paths. The top is the empty path. */
export type Tree = ReadonlyMap<string, Folder>

export function treeOf(files: readonly string[]): Tree {
  const tree = new Map<string, Folder>()
  for (const file of files) {
    let at = folderOf(file)
    const known = tree.get(at)
    if (known) {
      known.files.push(file)
      continue
    }
    tree.set(at, { files: [file], folders: [] })
    while (at !== '') {
      const parent = folderOf(at)
      const above = tree.get(parent)
      if (above) above.folders.push(at)
      else tree.set(parent, { files: [], folders: [at] })
      if (above) break
      at = parent
    }
  }
  return tree
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** Returns the folder and all folders around it, the nearest first. */
export function around(folder: string): readonly string[] {
  const found = [folder]
  for (let at = folder; at !== ''; found.push(at)) at = folderOf(at)
  return found
}

const lettersMax = 1_000

/** Joins a folder with a written path. Undefined: a URL, a computed path, a path of the machine, or one that is too long. */
export function joined(folder: string, written: string): string | undefined {
  if (written.length > lettersMax || written === '' || /^\/|^[\w+.-]+:|\$\{|[?\n]/.test(written) || isUnknown(written))
    return undefined
  const path = posix.join(folder === '' ? '.' : folder, written).replace(/\/$/, '')
  return path === '.' ? '' : path
}

/**
 * Resolves a path that counts from the top of the repository, as Flux and Argo CD write it. The input does not show the top: it
 * may be any folder around the file. The outermost folder in which the path exists wins.
 */
export function fromTop(tree: Tree, file: string, written: string): string | undefined {
  const relative = joined('', written.replace(/^\/+/, ''))
  if (relative === undefined || relative === '' || relative.startsWith('..')) return undefined
  const tops = around(folderOf(file)).toReversed()
  return tops.map((top) => (top === '' ? relative : `${top}/${relative}`)).find((path) => tree.has(path))
}
