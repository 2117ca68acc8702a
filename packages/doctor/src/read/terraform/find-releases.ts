// Finds the Helm releases of ARC's charts in a file of Terraform (`helm_release`), and gives them the shape of a helmfile's releases.
import { Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { filler } from '../template/template-value.ts'
import type { Span } from '../yaml/span.ts'
import { mayInstallCharts } from '../yaml/split.ts'
import type { ReadObject } from './read-object.ts'
import { type ReadString, readString } from './read-string.ts'
import { nameAt, skipBlank, skipExpression, skipPair, skipPart } from './skip.ts'

/** `nested`: the blocks in it, with their header. */
type Block = Span & {
  readonly name: string
  readonly attributes: ReadonlyMap<string, Span>
  readonly nested: readonly Span[]
}

/** Returns undefined if there is none. `file`: its name; all files of a folder are one configuration. */
export function findReleases(text: string, file: string): ReadObject | undefined {
  if (!text.includes('helm_release') || !text.includes('gha-runner-scale-set')) return undefined
  const releases = new YAMLSeq()
  const unknown: Span[] = []
  for (const block of findBlocks(text)) {
    const chart = block.attributes.get('chart')
    if (chart && mayInstallCharts(`chart: ${text.slice(chart.start, chart.end)}`)) {
      releases.items.push(release(text, block, { file, unknown }))
    }
  }
  if (releases.items.length === 0) return undefined
  const map = new YAMLMap()
  const whole = { start: 0, end: text.length }
  map.items.push(new Pair(new Scalar('name'), placed(new Scalar(file), whole)))
  map.items.push(new Pair(new Scalar('helm_release'), placed(releases, whole)))
  return { node: placed(map, whole), end: text.length, unread: [], unknown }
}

type Around = { readonly file: string; readonly unknown: Span[] }

function release(text: string, { attributes, ...block }: Block, { file, unknown }: Around): YAMLMap {
  const map = new YAMLMap()
  const add = (key: string, value: Scalar | YAMLSeq, span: Span) =>
    map.items.push(new Pair(new Scalar(key), placed(value, span)))
  add('name', new Scalar(block.name), block)
  for (const key of ['chart', 'version']) {
    const span = attributes.get(key)
    if (!span) continue
    const literal = literalAt(text, span)
    if (literal === undefined) unknown.push(span)
    add(key, new Scalar(literal?.value ?? filler), literal ? { start: span.start, end: literal.end } : span)
  }
  const needs = attributes.get('depends_on') ?? (/\bhelm_release\./.test(bodyOf(text, block)) ? block : undefined)
  if (needs) add('needs', sequence(text.slice(needs.start, needs.end)), needs)
  const condition = attributes.get('count') ?? attributes.get('for_each')
  if (condition) add('condition', new Scalar(text.slice(condition.start, condition.end)), condition)
  const provider = attributes.get('provider')
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const context = `${folder}${provider ? text.slice(provider.start, provider.end).trim() : 'helm'}`
  add('kubeContext', new Scalar(context), provider ?? block)
  return placed(map, block)
}

function sequence(entry: string): YAMLSeq {
  const list = new YAMLSeq()
  list.items.push(new Scalar(entry))
  return list
}

function bodyOf(text: string, { start, end }: Span): string {
  return text.slice(text.indexOf('{', start), end)
}

/** Returns a string that is the whole value. Its path may be computed: the last part names the chart. */
function literalAt(text: string, { start, end }: Span): ReadString | undefined {
  const read = text[start] === '"' ? readString(text, start) : undefined
  return read && skipBlank(text, read.end, false) >= end ? read : undefined
}

/** Returns the blocks of all Helm releases, of any chart. */
export function findBlocks(text: string): readonly Block[] {
  const header = /resource[ \t]+"helm_release"[ \t]+"([\w-]+)"[ \t]*\{/y
  const blocks: Block[] = []
  for (let at = skipBlank(text, 0, true); at < text.length; at = skipBlank(text, at, true)) {
    header.lastIndex = at
    const match = header.exec(text)
    if (!match) {
      at = skipPart(text, at)
      continue
    }
    const read = readAttributes(text, header.lastIndex)
    blocks.push({ name: match[1] ?? '', start: at, ...read })
    at = read.end
  }
  return blocks
}

/** Reads the attributes of a block whose opening brace was passed. Does not read nested blocks. */
function readAttributes(text: string, from: number): Pick<Block, 'attributes' | 'nested' | 'end'> {
  const attributes = new Map<string, Span>()
  const nested: Span[] = []
  let header: number | undefined
  for (let at = skipBlank(text, from, true); at < text.length; at = skipBlank(text, at, true)) {
    if (text[at] === '}') return { attributes, nested, end: at + 1 }
    const name = nameAt(text, at)
    const sign = name === undefined ? at : skipBlank(text, at + name.length, false)
    if (name !== undefined && text[sign] === '=') {
      const start = skipBlank(text, sign + 1, false)
      at = skipExpression(text, start, 'object')
      attributes.set(name, { start, end: at })
      header = undefined
    } else if (text[at] === '{') {
      const start = header ?? at
      at = skipPair(text, at, '{}')
      nested.push({ start, end: at })
      header = undefined
    } else {
      header ??= at
      at = skipPart(text, at)
    }
  }
  return { attributes, nested, end: text.length }
}

function placed<Placed extends Scalar | YAMLMap | YAMLSeq>(node: Placed, { start, end }: Span): Placed {
  node.range = [start, end, end]
  return node
}
