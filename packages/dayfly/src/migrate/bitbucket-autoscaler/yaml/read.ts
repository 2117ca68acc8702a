// Reads a YAML 1.1 text as Python's safe loader does. Limits keep any text from crashing it or keeping it busy.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { plainScalar, taggedScalar } from './scalar.ts'
import type { Mapping, Scalar, Value } from './value.ts'
import { isMapping } from './value.ts'

export type YamlText = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly sentence: string }

/** Far above any configuration, and so low that a hostile text is refused within seconds. */
const lettersMax = 128 * 1024
const depthMax = 100
/** Values. Each alias counts its values again. */
const valuesMax = 50_000
const digitsMax = 1000

/** Ends the walk. Its message becomes the sentence of the result. */
class Refused extends Error {}

type Walk = { readonly anchors: ReadonlyMap<string, Node>; readonly open: Set<Node>; left: number }

/** Returns the value of a text with one document. Later keys win over equal earlier ones. */
export function readYaml(text: string): YamlText {
  const refusal = tooMuch(text)
  if (refusal !== undefined) return { ok: false, sentence: refusal }
  try {
    const lineCounter = new LineCounter()
    const document = parseDocument(text, { ...options, lineCounter })
    const [error] = document.errors
    if (error) {
      const { line, col } = lineCounter.linePos(error.pos[0])
      const why = /call stack/.test(error.message) ? 'the text is nested too deeply' : error.message.split('\n')[0]
      return { ok: false, sentence: `line ${line}, column ${col}: ${why}` }
    }
    const { contents } = document
    const walk: Walk = { anchors: anchorsOf(contents), open: new Set(), left: valuesMax }
    return { ok: true, value: contents === null ? null : readNode(contents, walk, 0) }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, sentence: error.message }
    if (error instanceof RangeError) return { ok: false, sentence: 'the text is nested too deeply' }
    throw error
  }
}

/** The schema without types: this file types the scalars itself. */
const options = {
  version: '1.1',
  schema: 'failsafe',
  uniqueKeys: false,
  prettyErrors: false,
  // Silent would hide a second document.
  logLevel: 'error',
} as const

/** Returns why the text exceeds a limit. The check is cheap, so it comes before the parser. */
function tooMuch(text: string): string | undefined {
  if (text.length > lettersMax) return `the text has ${text.length} characters; at most ${lettersMax} are read`
  let depth = 0
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth += 1
    else if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1)
    if (depth > depthMax) return `more than ${depthMax} brackets are open at one place`
  }
  if (/(?:[-?:][ \t]+){100}/.test(text)) return `a line opens more than ${depthMax} lists`
  return undefined
}

function anchorsOf(contents: Node | null): ReadonlyMap<string, Node> {
  const anchors = new Map<string, Node>()
  const pending: unknown[] = [contents]
  while (pending.length > 0) {
    const node = pending.pop()
    if (isMap(node)) for (const { key, value } of node.items) pending.push(key, value)
    else if (isSeq(node)) pending.push(...node.items)
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) anchors.set(node.anchor, node)
  }
  return anchors
}

function readNode(node: unknown, walk: Walk, depth: number): Value {
  if (depth > depthMax) throw new Refused(`values are nested more than ${depthMax} levels deep`)
  walk.left -= 1
  if (walk.left < 0) throw new Refused(`the text has more than ${valuesMax} values; aliases count each time`)
  if (isAlias(node)) return aliasValue(node.source, walk, depth)
  if (isScalar(node)) return scalarValue(node)
  if (isSeq(node)) return node.items.map((item) => readNode(item, walk, depth + 1))
  return isMap(node) ? mapValue(node, walk, depth) : null
}

/** An anchor that is defined twice counts as defined at its last place. */
function aliasValue(name: string, walk: Walk, depth: number): Value {
  const target = walk.anchors.get(name)
  if (!target) throw new Refused(`the alias *${name} has no anchor`)
  if (walk.open.has(target)) throw new Refused(`the alias *${name} is inside its own anchor`)
  walk.open.add(target)
  const value = readNode(target, walk, depth + 1)
  walk.open.delete(target)
  return value
}

function scalarValue(node: { readonly type?: string; readonly tag?: string; readonly value: unknown }): Scalar {
  const text = typeof node.value === 'string' ? node.value : ''
  if (node.tag !== undefined && node.tag !== '!') {
    const value = taggedScalar(node.tag, text)
    if (value === undefined) throw new Refused(`the tag ${node.tag} of "${text.slice(0, 40)}" is not supported`)
    return value
  }
  if (node.type !== 'PLAIN' && node.type !== undefined) return text
  if (text.length > digitsMax && /^[-+0-9.:_]+$/.test(text)) throw new Refused(`a number has ${text.length} digits`)
  return plainScalar(text)
}

/** Own keys win over merged ones (`<<`), and an earlier merged map wins over a later one. */
function mapValue(node: { readonly items: readonly unknown[] }, walk: Walk, depth: number): Mapping {
  const merged = new Map<string, Value>()
  const own = new Map<string, Value>()
  for (const item of node.items) {
    const { key, value } = item as { readonly key: unknown; readonly value: unknown }
    if (isMerge(key)) mergeInto(merged, readNode(value, walk, depth + 1))
    else own.set(keyText(key), readNode(value, walk, depth + 1))
  }
  return new Map([...merged, ...own])
}

function isMerge(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === 'PLAIN' || key.type === undefined)
}

function mergeInto(merged: Map<string, Value>, value: Value): void {
  for (const source of Array.isArray(value) ? (value as readonly Value[]) : [value]) {
    if (!isMapping(source)) throw new Refused('a merge key << needs a map or a list of maps')
    for (const [key, member] of source) if (!merged.has(key)) merged.set(key, member)
  }
}

function keyText(key: unknown): string {
  if (isScalar(key)) return String(key.value ?? '')
  throw new Refused('a key is not a single word or text')
}
