// GitHub's hashFiles(): the SHA-256 over the SHA-256 of each matching file in the workspace, in the order in which GitHub walks the tree.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The maximum number of directory entries. A larger workspace is an error, never a wrong hash. */
const entriesMax = 200_000

/** Returns the hash; empty if no file matches. A pattern with a leading `!` excludes files; the last matching pattern decides. */
export function hashFiles(workspace: string, patterns: readonly string[]): string {
  const rules = patterns
    .flatMap((pattern) => pattern.split('\n'))
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '' && !pattern.startsWith('#') && pattern !== '--follow-symbolic-links')
    .map((pattern) => {
      const excludes = pattern.startsWith('!')
      const glob = path.relative(workspace, path.resolve(workspace, excludes ? pattern.slice(1) : pattern))
      return { excludes, glob, matcher: globToRegExp(glob) }
    })
  const roots = rootsOf(rules.filter((rule) => !rule.excludes).map((rule) => rule.glob))
  const files = listFiles(workspace, roots).filter((file) => {
    const last = rules.findLast((rule) => rule.matcher.test(file))
    return last !== undefined && !last.excludes
  })
  if (files.length === 0) return ''
  const whole = createHash('sha256')
  for (const file of files) {
    whole.update(
      createHash('sha256')
        .update(readFileSync(path.join(workspace, file)))
        .digest(),
    )
  }
  return whole.digest('hex')
}

/** Returns where the walks begin: the part of each pattern before its first wildcard. Covered roots and roots outside of the workspace are dropped. */
function rootsOf(globs: readonly string[]): readonly string[] {
  const roots = globs
    .filter((glob) => glob !== '..' && !glob.startsWith('../'))
    .map((glob) => {
      const parts = glob.split('/')
      const wild = parts.findIndex((part) => /[*?[]/.test(part))
      return (wild < 0 ? parts : parts.slice(0, wild)).join('/')
    })
  const unique = [...new Set(roots)]
  return unique.filter(
    (root) => !unique.some((other) => other !== root && (other === '' || root.startsWith(`${other}/`))),
  )
}

/** Lists files depth first, in the order of their names. It does not follow symbolic links. */
function listFiles(workspace: string, roots: readonly string[]): readonly string[] {
  const files: string[] = []
  const waiting = [...roots].reverse()
  let seen = 0
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const stat = lstatSync(path.join(workspace, name), { throwIfNoEntry: false })
    if (++seen > entriesMax) throw new Error(`hashFiles found more than ${entriesMax} files. Use narrower patterns.`)
    if (stat?.isFile()) files.push(name)
    if (!stat?.isDirectory()) continue
    const entries = readdirSync(path.join(workspace, name)).sort()
    for (const entry of entries.reverse()) waiting.push(path.join(name, entry))
  }
  return files
}

/** Compiles a glob: `**` crosses directories, `*` and `?` do not. A directory matches everything below it. */
function globToRegExp(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\[[^\]]*\]|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:[^/]+/)*'
    if (token === '**') return '.*'
    if (token === '*') return '[^/]*'
    if (token === '?') return '[^/]'
    return token.length > 2 ? token.replace(/^\[!/, '[^') : `\\${token}`
  })
  return new RegExp(`^${source}(?:/.*)?$`, 's')
}
