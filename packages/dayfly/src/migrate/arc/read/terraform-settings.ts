// Reads the settings of a `helm_release` block: `set`, `set_sensitive`, `set_list` and `dynamic "set"`.
import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import { readString } from '@dayfly/doctor/read/terraform/read-string'
import type { Line } from '../ledger.ts'
import { type Setting, typedValue } from './set-path.ts'
import type { Block } from './terraform-values.ts'

type Settings = { readonly settings: readonly Setting[]; readonly notes: readonly Line[] }

const header = /^(dynamic\s+")?(?:set|set_sensitive|set_list)"?\s*\{/

/** Returns the settings of the blocks, and of the list `set` that newer providers have. */
export function settingsOf(file: SourceFile, { name: block, nested, attributes }: Block): Settings {
  const list = ['set', 'set_sensitive', 'set_list'].flatMap((key) => {
    const span = attributes.get(key)
    return span ? entriesOf(file.text.slice(span.start, span.end)) : []
  })
  const blocks = nested.flatMap(({ start, end }) => {
    const text = file.text.slice(start, end)
    const found = header.exec(text)
    if (!found) return []
    // Terraform decides whether a dynamic block is there.
    return [
      found[1] ? { text: text.slice(text.search(/\bcontent\s*\{/)), isDynamic: true } : { text, isDynamic: false },
    ]
  })
  const settings: Setting[] = []
  const notes: Line[] = []
  for (const { text, isDynamic } of [...blocks, ...list]) {
    const setting = settingIn(text, block, isDynamic)
    if (setting) settings.push(setting)
    else notes.push({ file: file.path, path: `helm_release.${block}.set`, is: 'decide', sentence: unnamed })
  }
  return { settings, notes }
}

const unnamed =
  'Terraform computes the name of a setting, so the import does not read it. Give its value to the import with --values.'

function entriesOf(text: string): readonly { readonly text: string; readonly isDynamic: boolean }[] {
  return [...text.matchAll(/\{[^{}]*(?:\$\{[^}]*\}[^{}]*)*\}/g)].map(([entry]) => ({ text: entry, isDynamic: false }))
}

function settingIn(text: string, block: string, isDynamic: boolean): Setting | undefined {
  const name = literalIn(text, 'name')
  if (name === undefined || name.isComputed || typeof name.value !== 'string') return undefined
  const { value, isComputed } = literalIn(text, 'value') ?? { value: '', isComputed: false }
  const isText = /\btype\s*=\s*"string"/.test(text)
  return {
    name: name.value,
    value: isComputed || isText || typeof value !== 'string' ? value : typedValue(value),
    isComputed: isComputed || isDynamic,
    at: ['helm_release', block, 'set', name.value],
  }
}

type Literal = { readonly value: string | readonly string[]; readonly isComputed: boolean }

/** Reads an attribute. An expression, and a text with an interpolation, stay as they are written. */
function literalIn(text: string, key: string): Literal | undefined {
  const found = new RegExp(`\\b${key}\\s*=\\s*`).exec(text)
  if (!found) return undefined
  const at = found.index + found[0].length
  if (text[at] === '[') return listAt(text, at)
  const quoted = textAt(text, at)
  if (quoted) return quoted
  const expression = /^[^\n}]*/.exec(text.slice(at))?.[0].trim() ?? ''
  return { value: expression, isComputed: !/^-?\d+$|^(true|false)$/.test(expression) }
}

type ReadText = Literal & { readonly value: string; readonly end: number }

function textAt(text: string, at: number): ReadText | undefined {
  const read = text[at] === '"' ? readString(text, at) : undefined
  if (!read) return undefined
  const isComputed = read.unknown.length > 0
  return { value: isComputed ? text.slice(at + 1, read.end - 1) : read.value, isComputed, end: read.end }
}

/** Reads a list of texts. Any other list is an expression. */
function listAt(text: string, from: number): Literal {
  const texts: ReadText[] = []
  for (let at = from + 1; at < text.length; ) {
    const read = textAt(text, at)
    if (read) texts.push(read)
    else if (text[at] === ']')
      return { value: texts.map(({ value }) => value), isComputed: texts.some((one) => one.isComputed) }
    else if (!/[\s,]/.test(text[at] ?? '')) break
    at = read?.end ?? at + 1
  }
  return { value: text.slice(from).split('\n')[0]?.trim() ?? '', isComputed: true }
}
