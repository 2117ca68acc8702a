// Paths given by people → files' texts: files, folders (recursively), globs. Bounded, in a fixed order; what cannot be read is said.
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { unfinishedName } from '../write-file.ts'
import { chartsAround } from './charts-around.ts'
import type { Skipped, SourceFile } from './document.ts'

export type Read = {
  readonly files: readonly SourceFile[]
  readonly skipped: readonly Skipped[]
  /** Of charts around the files: they say a version, and nothing more is asked of them. */
  readonly charts: readonly SourceFile[]
  /** Paths given that name nothing: the caller's mistake, not the input's. */
  readonly missing: readonly string[]
}

const bytesMax = 4 * 1024 * 1024
/** Of a file that is too large, so much is searched for the word that every manifest has. */
const searchedMax = 64 * 1024 * 1024
const filesMax = 100_000
const depthMax = 32
const names = /\.(?:ya?ml|json|tf|tofu|hcl|tftpl|ya?ml\.\w+|json\.\w+)$|^NOTES\.txt$/i
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', '.terraform', '.venv', 'vendor', '.cache'])

/** `folder`: what relative paths start from. A file named outright is read whatever its name; in folders those with the names of manifests. */
export function readSources(paths: readonly string[], folder: string): Read {
  const unread: Skipped[] = []
  const missing: string[] = []
  const found = new Map<string, string>()
  const around = new Map<string, string>()
  for (const given of paths) {
    const name = (file: string) => shown(file, folder, path.isAbsolute(given))
    const at = path.resolve(folder, given)
    const problems: Skipped[] = []
    const matches = expand(at, problems)
    unread.push(...problems.map((problem) => ({ ...problem, file: name(problem.file) })))
    if (!matches) missing.push(given)
    for (const match of matches ?? []) if (!found.has(match)) found.set(match, name(match))
    if (!matches) continue
    for (const chart of chartsAround(at, kindOf(at) === 'folder')) {
      // Above the working folder a name does not tell what belongs to the chart.
      if (name(at).startsWith(name(chart).slice(0, -'Chart.yaml'.length))) around.set(chart, name(chart))
    }
  }
  const files: SourceFile[] = []
  const skipped = [...unread]
  for (const [file, name] of [...found].slice(0, filesMax)) {
    const text = readText(file, name)
    'text' in text ? files.push(text) : skipped.push(text)
  }
  if (found.size > filesMax) {
    const reason = `${found.size - filesMax} files above the limit of ${filesMax}`
    skipped.push({ file: shown(folder, folder, false), line: undefined, reason })
  }
  const charts = [...around].flatMap(([file, name]) => {
    const text = found.has(file) ? undefined : readText(file, name)
    return text && 'text' in text ? [text] : []
  })
  return { files, skipped, charts, missing }
}

/** Bytes → text, or why not. Only UTF-8 survives being written back byte for byte. */
export function decodeText(bytes: Uint8Array, shownAs: string): SourceFile | Skipped {
  if (bytes.length > bytesMax) return { file: shownAs, line: undefined, reason: tooLarge }
  try {
    return { path: shownAs, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return mayHoldObjects(Buffer.from(bytes))
      ? { file: shownAs, line: undefined, reason: 'not UTF-8' }
      : { file: shownAs, line: undefined, reason: 'not text', intended: true }
  }
}

const tooLarge = `larger than ${bytesMax / 1024 / 1024} MiB`

function readText(file: string, shownAs: string): SourceFile | Skipped {
  try {
    const { size } = statSync(file)
    if (size > bytesMax) {
      return size > searchedMax || searchLarge(file)
        ? { file: shownAs, line: undefined, reason: tooLarge }
        : { file: shownAs, line: undefined, reason: `${tooLarge}, and no manifest in it`, intended: true }
    }
    const text = readFileSync(file, 'utf8')
    // The decoder writes this letter for what is not UTF-8, and for itself: only the bytes tell which.
    return text.includes('\uFFFD') ? decodeText(readFileSync(file), shownAs) : { path: shownAs, text }
  } catch (error) {
    return { file: shownAs, line: undefined, reason: reasonOf(error) }
  }
}

/** Whether a lock file or a picture may be what its name says: a manifest. Piece by piece, each with the end of the one before. */
function searchLarge(file: string): boolean {
  const piece = Buffer.alloc(bytesMax)
  const overlap = 64
  const handle = openSync(file, 'r')
  try {
    for (let at = 0; ; at += bytesMax - overlap) {
      const length = readSync(handle, piece, 0, bytesMax, at)
      if (mayHoldObjects(piece.subarray(0, length))) return true
      if (length < bytesMax) return false
    }
  } finally {
    closeSync(handle)
  }
}

/** Also in the encoding that PowerShell writes. */
function mayHoldObjects(bytes: Buffer): boolean {
  return bytes.includes('apiVersion') || bytes.includes('apiVersion', 0, 'utf16le')
}

/** Undefined: it names nothing. */
function expand(given: string, skipped: Skipped[]): string[] | undefined {
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
    if (unfinishedName.test(entry.name)) continue
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

/** Undefined: it is none. */
function globPattern(glob: string): RegExp | undefined {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|\[[^[\]]*\]|[.+^$()|\\{}[\]]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1 && part.startsWith('{')) return `(?:${part.slice(1, -1).split(',').map(literal).join('|')})`
    if (part.length > 1 && part.startsWith('['))
      return `[${part.slice(1, -1).replace(/^!/, '^').replace(/\\/g, '\\\\')}]`
    return `\\${part}`
  })
  try {
    return new RegExp(`^${source}$`)
  } catch {
    return undefined
  }
}

function literal(text: string): string {
  return text.replace(/[.+^$()|\\{}[\]*?]/g, '\\$&')
}

/** With slashes, as the person would write it: an absolute path stays one unless it leads into the folder. */
function shown(file: string, folder: string, absolute: boolean): string {
  const relative = path.relative(folder, file) || '.'
  const outside = /^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative)
  const end = file.endsWith(path.sep) && !(outside && absolute) ? '/' : ''
  return (outside && absolute ? file : relative).split(path.sep).join('/') + end
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+ '.*'$/, '') : 'unknown error'
}
