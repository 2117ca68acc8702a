// Applies edits to plain values: the result is the value that the fixed text must have.
import type { Path } from '@dayfly/kit/read-json'
import { isJsonObject, valueAt } from '@dayfly/kit/read-json'
import type { Edit } from '../finding.ts'
import { refuse } from './refusal.ts'

/** Returns a changed copy. Paths start from the value. */
export function applyEdits(value: unknown, edits: readonly Edit[]): unknown {
  const root = copyValue(value)
  // All paths refer to the original value. Edits that shift list entries therefore come last, from the end of the list.
  const shifting = edits
    .filter((edit) => edit.do !== 'set')
    .sort((left, right) => comparePaths(pathOf(right), pathOf(left)))
  for (const edit of edits) if (edit.do === 'set') set(root, edit.path, edit.value)
  for (const edit of shifting) {
    if (edit.do === 'move') move(root, edit)
    else if (edit.do === 'carry') carry(root, edit)
    else if (edit.do === 'remove') take(root, edit.path)
  }
  return root
}

/** Returns a deep copy without shared parts: the copies of an alias become values of their own. */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyValue(entry)]))
}

/** Orders paths: a later list entry comes last; keys compare as text. */
function comparePaths(left: Path, right: Path): number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a, b] = [left[at], right[at]]
    if (a === b || a === undefined || b === undefined) continue
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1
  }
  return left.length - right.length
}

/** Returns the path of the value that an edit changes or removes. */
function pathOf(edit: Edit): Path {
  return 'from' in edit ? edit.from : edit.path
}

function carry(root: unknown, { from, to }: Extract<Edit, { do: 'carry' }>): void {
  const value = take(root, from)
  set(root, [...to, from.at(-1) ?? ''], value)
}

function move(root: unknown, { from, to, set: added }: Extract<Edit, { do: 'move' }>): void {
  const entry = take(root, from)
  if (!isJsonObject(entry)) refuse('the entry to move is not a mapping')
  const holder = holderOf(root, to)
  const list = read(holder, to.at(-1)) ?? []
  if (!Array.isArray(list)) refuse('the target is not a list')
  write(holder, to.at(-1), [...list, { ...entry, ...added }])
}

function take(root: unknown, path: Path): unknown {
  const holder = holderOf(root, path)
  const last = path.at(-1)
  const value = read(holder, last)
  if (value === undefined) refuse('the value to remove does not exist')
  if (Array.isArray(holder) && typeof last === 'number') holder.splice(last, 1)
  else if (isJsonObject(holder)) Reflect.deleteProperty(holder, String(last))
  return value
}

function set(root: unknown, path: Path, value: unknown): void {
  let here = root
  for (const [at, step] of path.slice(0, -1).entries()) {
    if (read(here, step) === undefined || read(here, step) === null)
      write(here, step, typeof path[at + 1] === 'number' ? [] : {})
    here = read(here, step)
  }
  write(here, path.at(-1), value)
}

function holderOf(root: unknown, path: Path): unknown {
  let here = root
  for (const step of path.slice(0, -1)) here = read(here, step)
  return here
}

function read(holder: unknown, step: string | number | undefined): unknown {
  if (step === undefined || (Array.isArray(holder) && typeof step !== 'number')) return undefined
  return valueAt(holder, step)
}

function write(holder: unknown, step: string | number | undefined, value: unknown): void {
  const fits = Array.isArray(holder) ? typeof step === 'number' && step <= holder.length : isJsonObject(holder)
  if (!fits || step === undefined) refuse('the path leads through a value that is no mapping or list')
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true })
}
