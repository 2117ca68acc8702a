// Finds the parts of a Terraform file that may hold manifests: heredocs and objects, alone or in calls such as `yamlencode`.
import { type Heredoc, heredocAt, readHeredoc } from './heredoc.ts'
import { type Budget, Malformed, type ReadObject, readObject } from './read-object.ts'
import { nameAt, skipBlank, skipPart } from './skip.ts'

type HclTexts = {
  readonly heredocs: readonly Heredoc[]
  /** `open`: a call around the object may add to it. */
  readonly objects: readonly (ReadObject & { readonly open: boolean })[]
  /** The first text that looks like an object and could not be read. */
  readonly malformed: Malformed | undefined
}

type Found = {
  readonly heredocs: Heredoc[]
  readonly objects: (ReadObject & { readonly open: boolean })[]
  readonly budget: Budget
  malformed: Malformed | undefined
}
type Place = { readonly from: number; readonly to: number; readonly depth: number; readonly open: boolean }

/** The depth of objects in calls in objects. */
const depthMax = 8
/** How often each letter may be read. */
const passesMax = 20
/** Calls that only write down their arguments. */
const writers: ReadonlySet<string> = new Set(['', 'yamlencode', 'jsonencode', 'tolist', 'toset', 'sensitive'])

export function findTexts(text: string): HclTexts {
  const found: Found = { heredocs: [], objects: [], malformed: undefined, budget: { left: passesMax * text.length } }
  search(text, { from: 0, to: text.length, depth: 0, open: false }, found)
  return found
}

function search(text: string, { from, to, depth, open }: Place, found: Found): void {
  /** For each bracket around: whether a call, here or further out, may add to what is in it. */
  const around: boolean[] = [open]
  /** The last significant character, and the name that ended there. */
  let last = ''
  let name = ''
  for (let at = skipBlank(text, from, true); at < to; at = skipBlank(text, at, true)) {
    const char = text[at] ?? ''
    let end = skipPart(text, at)
    if (char === '{' && '=([,:?>'.includes(last) && last !== '')
      end = enter(text, at, { depth, open: around.at(-1) === true }, found)
    else if (char === '<') addHeredoc(text, at, found)
    else if (char === '(') around.push(around.at(-1) === true || !writers.has(name))
    else if (char === ')' && around.length > 1) around.pop()
    name = nameAt(text, at) ?? ''
    last = char
    at = end
  }
}

/** Reads the object at this brace. Returns the offset to continue from. */
function enter(text: string, at: number, { depth, open }: Omit<Place, 'from' | 'to'>, found: Found): number {
  const read = readObject(text, at, found.budget)
  if (read === undefined) return at + 1
  if (read instanceof Malformed) {
    found.malformed ??= read
    return at + 1
  }
  found.objects.push({ ...read, open })
  for (const { start, end } of read.unread) {
    if (depth < depthMax) search(text, { from: start, to: end, depth: depth + 1, open: false }, found)
  }
  return read.end
}

function addHeredoc(text: string, at: number, found: Found): void {
  const span = heredocAt(text, at)
  const heredoc = span && readHeredoc(text, span)
  if (heredoc) found.heredocs.push(heredoc)
}
