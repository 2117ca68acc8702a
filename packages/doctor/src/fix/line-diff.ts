// Finds the lines in which two texts differ (the shortest edit script of Myers), and writes them as a patch for git.
import { diffArrays } from 'diff'

/** Lines `[from, from + removed.length)` of the old text, counted from 0, are replaced by `added`. Lines keep their line ends. */
export type Change = { readonly from: number; readonly removed: readonly string[]; readonly added: readonly string[] }

export function diffLines(before: string, after: string): readonly Change[] {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  return shortestScript(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head)
}

/** Returns a unified diff with three lines of context; empty if the texts are equal. */
export function unifiedDiff(file: string, before: string, after: string): string {
  return patchFor(file, linesOf(before), diffLines(before, after))
}

/** Returns the diff for known changes. `old`: all lines of the file. */
export function patchFor(file: string, old: readonly string[], changes: readonly Change[]): string {
  if (changes.length === 0) return ''
  let shift = 0
  const hunks = gather(changes).map((group) => {
    const text = hunk(old, group, shift)
    for (const { removed, added } of group) shift += added.length - removed.length
    return text
  })
  return `--- ${named(`a/${file}`)}\n+++ ${named(`b/${file}`)}\n${hunks.join('')}`
}

/** Returns a text's lines with their ends. The last line may have none. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

const context = 3
/** Above this number of differing lines, the whole middle is one change: the cost of the script grows with the square. */
const differencesMax = 500

/** Writes a name as git does: a tab follows a name with spaces, and unusual characters are quoted. */
function named(name: string): string {
  if (!/["\\\x00-\x1f\x7f]/.test(name)) return name.includes(' ') ? `${name}\t` : name
  const quoted = name.replace(/["\\]/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, (letter) => {
    return `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return `"${quoted}"`
}

function shortestScript(old: string[], now: string[], offset: number): readonly Change[] {
  const parts = diffArrays(old, now, { maxEditLength: differencesMax })
  if (!parts) return [{ from: offset, removed: old, added: now }]
  const changes: Change[] = []
  let from = offset
  let open: { from: number; removed: string[]; added: string[] } | undefined
  for (const { value, removed, added } of parts) {
    if (added || removed) {
      if (!open) {
        open = { from, removed: [], added: [] }
        changes.push(open)
      }
      open[removed ? 'removed' : 'added'].push(...value)
    } else open = undefined
    if (!added) from += value.length
  }
  return changes
}

/** Puts changes whose contexts touch into one hunk. */
function gather(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = []
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1)
    if (last && change.from - (last.from + last.removed.length) <= 2 * context) groups.at(-1)?.push(change)
    else groups.push([change])
  }
  return groups
}

function hunk(old: readonly string[], changes: readonly Change[], shift: number): string {
  const first = changes[0]?.from ?? 0
  const last = changes.at(-1)
  const from = Math.max(0, first - context)
  const to = Math.min(old.length, (last ? last.from + last.removed.length : first) + context)
  const lines: string[] = []
  let at = from
  let grown = 0
  for (const change of changes) {
    lines.push(...old.slice(at, change.from).map((line) => marked(' ', line)))
    lines.push(...change.removed.map((line) => marked('-', line)), ...change.added.map((line) => marked('+', line)))
    at = change.from + change.removed.length
    grown += change.added.length - change.removed.length
  }
  lines.push(...old.slice(at, to).map((line) => marked(' ', line)))
  return `@@ -${range(from, to - from)} +${range(from + shift, to - from + grown)} @@\n${lines.join('')}`
}

function range(from: number, length: number): string {
  return `${length === 0 ? from : from + 1},${length}`
}

function marked(sign: string, line: string): string {
  return line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`
}
