// Reads a YAML 1.1 text as Python's safe loader does. Limits keep any text from crashing it or keeping it busy.
import { isScalar, LineCounter, parseDocument, type ScalarTag, type Tags, visit } from 'yaml'
import { isMapping, type Mapping, type Value } from './value.ts'

export type YamlText = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly sentence: string }

/** Far above any configuration, and so low that a hostile text is refused within seconds. */
const lettersMax = 128 * 1024
const depthMax = 100
/** Values. Each alias counts its values again. */
const valuesMax = 50_000
/** The beginning of each merge key (`<<`): a map may have several of them. */
const mergeKey = '<<\0'

/** Ends the walk. Its message becomes the sentence of the result. */
class Refused extends Error {}

/** Returns the value of a text with one document. Later keys win over equal earlier ones. */
export function readYaml(text: string): YamlText {
  const refusal = tooMuch(text)
  if (refusal !== undefined) return { ok: false, sentence: refusal }
  try {
    const lineCounter = new LineCounter()
    const document = parseDocument(text, { ...options, lineCounter })
    const [error] = [...document.errors, ...document.warnings]
    if (error) {
      const { line, col } = lineCounter.linePos(error.pos[0])
      const why = /call stack/.test(error.message) ? 'the text is nested too deeply' : error.message.split('\n')[0]
      return { ok: false, sentence: `line ${line}, column ${col}: ${why}` }
    }
    // A key is its text: the labels of a pod may have the key `on`.
    visit(document, {
      Pair: (index, { key }) => {
        if (!isScalar(key)) return
        const text = key.source ?? ''
        key.value = text === '<<' && key.type === 'PLAIN' ? `${mergeKey}${String(index)}` : text
      },
    })
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: -1 })
    return { ok: true, value: finish(value as Value, { left: valuesMax, open: new Set() }) }
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, sentence: 'the text is nested too deeply' }
    if (error instanceof Refused) return { ok: false, sentence: error.message }
    // An alias without an anchor.
    if (error instanceof ReferenceError) return { ok: false, sentence: error.message }
    throw error
  }
}

const tag = (name: string) => ({ default: true, tag: `tag:yaml.org,2002:${name}` }) as const

/** PyYAML reads these as texts, and the package as truth values or numbers. */
const plainText: ScalarTag = {
  ...tag('str'),
  test: /^(?:[yYnN]|[-+]?0[\d_]*(?:[89][\d_]*|(?::[0-5]?\d)+)|[-+]?[\d_]*[eE][-+]?\d+|.*\.[\d_]*[eE]\d+|[-+]\.\d.*|[-+]?\.(?:_[\d_]*)?(?:[eE].*)?)$/,
  resolve: (text) => text,
}

/** A date keeps its text. */
const timestamp: ScalarTag = {
  ...tag('timestamp'),
  test: /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/,
  resolve: (text) => ({ timestamp: text }),
}

/** The last tag counts only for an explicit `!!float`. */
const wholeFloat: ScalarTag = { ...tag('float'), test: /^[-+]?[1-9]\d*$/, resolve: Number }

const isMerge = (one: Tags[number]) => typeof one === 'object' && one.tag === 'tag:yaml.org,2002:merge'

const options = {
  version: '1.1',
  // The package would merge maps without a limit.
  customTags: (tags: Tags) => [plainText, timestamp, ...tags.filter((one) => !isMerge(one)), wholeFloat],
  intAsBigInt: true,
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
  if (/\d[\d_:]{1000}/.test(text)) return 'a number has more than 1000 digits'
  return undefined
}

type Walk = { readonly open: Set<unknown>; left: number }

/** Merges maps, and counts the values of each alias again. */
function finish(value: Value, walk: Walk): Value {
  walk.left -= 1
  if (walk.left < 0) throw new Refused(`the text has more than ${valuesMax} values; aliases count each time`)
  if (!Array.isArray(value) && !isMapping(value)) return value
  if (walk.open.has(value)) throw new Refused('an alias is inside its own anchor')
  if (walk.open.size >= depthMax) throw new Refused(`values are nested more than ${depthMax} levels deep`)
  walk.open.add(value)
  const finished = isMapping(value) ? finishMap(value, walk) : value.map((item: Value) => finish(item, walk))
  walk.open.delete(value)
  return finished
}

/** Own keys win over merged ones, and an earlier merged map wins over a later one. */
function finishMap(map: Mapping, walk: Walk): Mapping {
  const merged = new Map<string, Value>()
  const own = new Map<string, Value>()
  for (const [key, member] of map) {
    if (typeof key !== 'string') throw new Refused('a key is not a single word or text')
    const value = finish(member, walk)
    if (!key.startsWith(mergeKey)) own.set(key, value)
    else for (const [name, item] of mergedEntries(value)) if (!merged.has(name)) merged.set(name, item)
  }
  return new Map([...merged, ...own])
}

function mergedEntries(value: Value): readonly (readonly [string, Value])[] {
  if (isMapping(value)) return [...value]
  if (Array.isArray(value) && value.every(isMapping)) return value.flatMap((one) => [...one])
  throw new Refused('a merge key << needs a map or a list of maps')
}
