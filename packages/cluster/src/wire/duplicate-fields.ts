// Finds fields that a body names twice. The last of them counts, so that the others are lost without a word.
import type { Request } from '@dayfly/kit/http'
import type { Duplicate } from '../api/registry.ts'
import { mediaType } from './request-body.ts'
import { type RepeatedKey, yamlDuplicates } from './yaml-body.ts'

/** Kubernetes reports no more than this. */
const duplicatesMax = 100

/** Returns the fields that the body has twice, in the words of the reader of objects. */
export function duplicatesOf(request: Request): readonly Duplicate[] {
  const found = repeatedKeys(request)
  if (request.body.kind !== 'text')
    return found.map(({ path = '' }) => ({ path, problem: `duplicate field "${path}"` }))
  return found.length === 0 ? [] : [{ path: '', problem: linesOf(found) }]
}

/** Returns the fields that a configuration has twice, in the words of the reader of YAML; undefined if there are none. */
export function repeatedInYaml(request: Request): string | undefined {
  const found = repeatedKeys(request)
  return found.length === 0 ? undefined : `error converting YAML to JSON: ${linesOf(found)}`
}

function linesOf(found: readonly RepeatedKey[]): string {
  return [
    'yaml: unmarshal errors:',
    ...found.map(({ key, line }) => `line ${line}: key "${key}" already set in map`),
  ].join('\n  ')
}

/** Only JSON gives the path. */
function repeatedKeys(request: Request): readonly (RepeatedKey & { readonly path?: string })[] {
  const { body } = request
  if (body.kind === 'json') return body.raw === undefined ? [] : jsonDuplicates(Buffer.from(body.raw).toString('utf8'))
  const isYaml = body.kind === 'text' && mediaType(request).endsWith('yaml')
  return isYaml ? yamlDuplicates(body.text).slice(0, duplicatesMax) : []
}

/** An object or a list around the present place of the text. */
type Level = {
  /** The keys of an object so far; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** The key or the index of the present value. */
  at: string | number
}

/** The parts of JSON that decide: strings, brackets, separators and line ends. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],\n]/g

/** @param text valid JSON. */
function jsonDuplicates(text: string): readonly (RepeatedKey & { readonly path: string })[] {
  const levels: Level[] = []
  const found = new Map<string, RepeatedKey & { readonly path: string }>()
  let line = 1
  let isKey = false
  for (const [part] of text.matchAll(token)) {
    const level = levels.at(-1)
    if (part === '\n') line++
    else if (part === '{' || part === '[') levels.push({ keys: part === '{' ? new Set() : undefined, at: 0 })
    else if (part === '}' || part === ']') levels.pop()
    else if (part === ',') {
      if (level?.keys === undefined && typeof level?.at === 'number') level.at++
    } else if (isKey && level?.keys !== undefined) {
      const key = String(JSON.parse(part))
      level.at = key
      if (level.keys.has(key)) {
        const path = pathOf(levels)
        if (!found.has(path)) found.set(path, { path, key, line })
        if (found.size === duplicatesMax) break
      }
      level.keys.add(key)
    }
    // A string is a key if it is the first one after a brace or a comma of an object.
    if (part !== '\n') isKey = part === '{' || (part === ',' && level?.keys !== undefined)
  }
  return [...found.values()]
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '')
}
