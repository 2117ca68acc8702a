// Parses a text into a value and nodes. Limits keep any input from crashing it or keeping it busy.
import { once } from '@dayfly/kit/once'
import type { Document as YamlDocument } from 'yaml'
import { parseNodes } from './parse-nodes.ts'
import { respell } from './respell.ts'
import type { Lines } from './strip-indentation.ts'

export type Parsed =
  | {
      readonly nodes: () => YamlDocument
      readonly value: unknown
      /** The text that was parsed in place of the given one, which only kubectl accepts. Offsets count in it. */
      readonly respelled?: Lines
    }
  | { readonly failed: string; readonly offset: number | undefined }

const lettersMax = 1024 * 1024
const wordsMax = 30_000
const aliasesMax = 200
const depthMax = 200

export function parseYaml(text: string): Parsed {
  const refusal = tooMuch(text)
  if (refusal !== undefined) return { failed: refusal, offset: undefined }
  const read = parseJson(text)
  if (!read) return parseAsKubectl(text)
  return { value: read.value, nodes: once(() => parseNodes(text)) }
}

/** A text that the strict parser refuses may be one that kubectl accepts. */
function parseAsKubectl(text: string): Parsed {
  const strict = parseFully(text)
  const respelled = 'failed' in strict ? respell(text) : undefined
  if (!respelled) return strict
  const parsed = parseFully(respelled.text)
  return 'failed' in parsed ? strict : { ...parsed, respelled }
}

function parseFully(text: string): Parsed {
  try {
    const yaml = parseNodes(text)
    const error = yaml.errors[0]
    if (error) return { failed: `not valid YAML: ${error.message}`, offset: error.pos[0] }
    const value: unknown = yaml.toJS({ maxAliasCount: aliasesMax })
    if (text.includes('*') && holdsItself(value, new Set())) {
      return { failed: 'an alias is inside its own anchor', offset: undefined }
    }
    return { nodes: () => yaml, value }
  } catch (error) {
    return { failed: `not valid YAML: ${error instanceof Error ? error.message : 'unknown error'}`, offset: undefined }
  }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*\{\s*"/.test(text) || text.includes('"__proto__"')) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Returns why the text exceeds a limit. These checks are cheap, so they come first. */
export function tooMuch(text: string): string | undefined {
  if (text.length > lettersMax) return `a document larger than ${lettersMax / 1024 / 1024} MiB`
  if (text.length > wordsMax && count(text, /[\n,]/g, wordsMax) > wordsMax) {
    return `a document of more than ${wordsMax} lines`
  }
  if (text.includes('*') && count(text, /(?:^|[\s,[{:])\*[^\s,[\]{}*]/g, aliasesMax) > aliasesMax) {
    return `more than ${aliasesMax} aliases`
  }
  return nestsTooDeeply(text) ? `nested deeper than ${depthMax} levels` : undefined
}

function holdsItself(value: unknown, around: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (around.has(value)) return true
  around.add(value)
  const found = Object.values(value).some((entry) => holdsItself(entry, around))
  around.delete(value)
  return found
}

function count(text: string, pattern: RegExp, most: number): number {
  let found = 0
  while (found <= most && pattern.exec(text)) found++
  return found
}

/** Counts brackets, and dashes that open a list in a list. Brackets in strings count too, so it may refuse a valid text. */
function nestsTooDeeply(text: string): boolean {
  if (/(?:[-?:][ \t]+){30}/.test(text)) return true
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax) return true
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--
  }
  return false
}
