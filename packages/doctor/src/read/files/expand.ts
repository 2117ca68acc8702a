// Turns a given path or glob into the paths of its files.
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Skipped } from '../decode/document.ts'
import { globPattern } from './glob.ts'
import { reasonOf } from './reason-of.ts'
import { isTemporary } from './temporary-name.ts'

const depthMax = 32
/** Helm's templates `_*.tpl` define no objects, and other templates of that name are Terraform's. */
const names = /\.(?:ya?ml|json|tf|tofu|hcl|tftpl|ya?ml\.\w+|json\.\w+)$|^[^_].*\.tpl$|^NOTES\.txt$/i
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', '.terraform', '.venv', 'vendor', '.cache'])

/** `given`: an absolute path. Undefined: it names nothing. `skipped` receives what is not read, with the reason. */
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

/** Drops the texts for people that a folder or a glob holds beside its manifests. */
function withoutProse(files: readonly string[], skipped: Skipped[]): string[] {
  return files.filter((file) => {
    const what = /\.(?:md|mdx|markdown)$/i.test(file) ? 'Markdown' : /NOTES\.txt$/i.test(file) && "a chart's notes"
    if (what === false) return true
    const reason = `${what}: text for people, read only when it is named`
    skipped.push({ file, line: undefined, reason, intended: true })
    return false
  })
}

/** A pipe counts as a file: `<(helm template …)`. */
function kindOf(given: string): 'file' | 'folder' | 'other' | undefined {
  try {
    const found = statSync(given)
    return found.isFile() || found.isFIFO() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch {
    return undefined
  }
}

type Walk = {
  /** The named folder; undefined for a glob, which includes links. */
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
  const base = folder.endsWith(path.sep) ? folder : folder + path.sep
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const file = base + entry.name
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

/**
 * Whether a glob includes the link. In folders, links are not followed: they lead to files that are read anyway, or out of the folder.
 * A link out of the folder is recorded.
 */
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
