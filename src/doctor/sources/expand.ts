// A path, or a glob, given by people → the paths of the files that it means.
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Skipped } from './document.ts'
import { globPattern } from './glob.ts'
import { reasonOf } from './reason-of.ts'
import { isTemporary } from './temporary-name.ts'

const depthMax = 32
const names = /\.(?:ya?ml|json|tf|tofu|hcl|tftpl|ya?ml\.\w+|json\.\w+)$|^NOTES\.txt$/i
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', '.terraform', '.venv', 'vendor', '.cache'])

/** `given`: absolute. Undefined: it names nothing. `skipped` takes what is not read, and why. */
export function expand(given: string, skipped: Skipped[]): string[] | undefined {
  const kind = kindOf(given)
  if (kind === 'file') return [given]
  if (kind === 'folder')
    return withoutProse(walk(given, { top: realpathSync(given), wanted: names, skipped }, 0), skipped)
  const glob = given.search(/[*?[{]/)
  if (kind !== undefined || glob < 0) return undefined
  const base = given.slice(0, given.lastIndexOf(path.sep, glob)) || path.sep
  const pattern = globPattern(given)
  if (kindOf(base) !== 'folder' || !pattern) return undefined
  const matches = walk(base, { top: undefined, wanted: /./, skipped }, 0).filter((file) => pattern.test(file))
  return matches.length > 0 ? withoutProse(matches, skipped) : undefined
}

/** What a folder or a glob has beside its manifests for people to read. */
function withoutProse(files: readonly string[], skipped: Skipped[]): string[] {
  return files.filter((file) => {
    const what = /\.(?:md|mdx|markdown)$/i.test(file) ? 'Markdown' : /NOTES\.txt$/i.test(file) && "a chart's notes"
    if (what === false) return true
    const reason = `${what}: text for people, read only when it is named`
    skipped.push({ file, line: undefined, reason, intended: true })
    return false
  })
}

/** A pipe is a file: `<(helm template …)`. */
function kindOf(given: string): 'file' | 'folder' | 'other' | undefined {
  try {
    const found = statSync(given)
    return found.isFile() || found.isFIFO() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch {
    return undefined
  }
}

type Walk = {
  /** The folder that was named; undefined for a glob, which names links as well. */
  readonly top: string | undefined
  readonly wanted: RegExp
  readonly skipped: Skipped[]
}

function walk(folder: string, options: Walk, depth: number): string[] {
  const { wanted, skipped } = options
  if (depth > depthMax) {
    skipped.push({ file: folder + path.sep, line: undefined, reason: `deeper than ${depthMax} folders` })
    return []
  }
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    skipped.push({ file: folder + path.sep, line: undefined, reason: reasonOf(error) })
    return []
  }
  const found: string[] = []
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const file = path.join(folder, entry.name)
    if (isTemporary(entry.name)) continue
    if (entry.isFile() ? wanted.test(entry.name) : entry.isSymbolicLink() && isNamedLink(file, options))
      found.push(file)
    else if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) found.push(...walk(file, options, depth + 1))
      else if (options.top !== undefined && entry.name !== '.git') {
        skipped.push({ file: file + path.sep, line: undefined, reason: `a folder named ${entry.name}`, intended: true })
      }
    }
  }
  return found
}

/** Whether a glob may mean it. In folders symbolic links are not followed: they lead to what is read anyway, or out of what was asked for, which is said. */
function isNamedLink(link: string, { top, wanted, skipped }: Walk): boolean {
  const kind = kindOf(link)
  if (top === undefined) return kind === 'file'
  if (kind !== 'folder' && !(kind === 'file' && wanted.test(link))) return false
  const target = realpathSync(link)
  if (target !== top && !target.startsWith(top + path.sep)) {
    const reason = 'a symbolic link out of the folder: it is read when it is named'
    skipped.push({ file: kind === 'folder' ? link + path.sep : link, line: undefined, reason, intended: true })
  }
  return false
}
