// Finds ARC's runners in Terraform: `helm_release` blocks with their values and settings.
import { arcChart } from '@dayfly/doctor/arc/chart-release'
import type { SourceFile, SourceObject } from '@dayfly/doctor/read/decode/document'
import { isUnknown } from '@dayfly/doctor/read/template/template-value'
import { findBlocks } from '@dayfly/doctor/read/terraform/find-releases'
import { readString } from '@dayfly/doctor/read/terraform/read-string'
import { unreadValues } from '@dayfly/doctor/read/terraform/unread-values'
import { findNode } from '@dayfly/doctor/read/yaml/nodes'
import type { Line } from '../ledger.ts'
import type { Release } from '../release.ts'
import type { Values } from '../values.ts'
import { assemble, describesRunners, layerOf } from './assemble.ts'
import type { FoundReleases } from './found-releases.ts'
import { fileEndingIn, type Input } from './input.ts'
import { type Setting, typedValue, valuesOfSettings } from './set-path.ts'
import { type Block, writtenLayers } from './terraform-values.ts'

export function terraformSets(input: Input): FoundReleases {
  const releases: Release[] = []
  const used: SourceObject[] = []
  const unread: Line[] = []
  for (const file of input.files.values()) {
    if (!/\.(?:tf|tofu|hcl)$/.test(file.path) || !file.text.includes('gha-runner-scale-set')) continue
    for (const block of findBlocks(file.text)) {
      if (arcChart(textOf(file, block, 'chart')) !== 'gha-runner-scale-set') continue
      const inside = input.objects.filter((one) => one.kind === 'values' && isIn(one, file, block))
      const found = fromBlock(input, file, block)
      used.push(...inside)
      releases.push(...found.releases)
      unread.push(...found.unread)
    }
  }
  return { releases, used, unread }
}

function fromBlock(input: Input, file: SourceFile, block: Block): Omit<FoundReleases, 'used'> {
  const at = ['helm_release', block.name]
  const named = namedLayers(input, file, block)
  const settings = settingsOf(file, block)
  const layers: readonly Values[] = [
    ...named.layers,
    ...writtenLayers(file, block),
    ...(settings.length > 0 ? [valuesOfSettings(file.path, settings)] : []),
  ]
  const notes = [...named.notes, ...(named.layers.length > 0 ? [] : unreadLines(file, block))]
  const releases = assemble({
    form: 'Terraform',
    file: file.path,
    at,
    name: known(textOf(file, block, 'name')),
    namespace: known(textOf(file, block, 'namespace')),
    isChart: true,
    layers,
    notes,
  }).filter(({ values }) => describesRunners(values))
  return { releases, unread: releases.length > 0 ? [] : notes }
}

function known(text: string | undefined): string | undefined {
  return isUnknown(text) ? undefined : text
}

/** Returns a text that is the whole attribute. A computed part is filler. */
function textOf({ text }: SourceFile, { attributes }: Block, name: string): string | undefined {
  const span = attributes.get(name)
  return span && text[span.start] === '"' ? readString(text, span.start)?.value : undefined
}

function isIn({ document, path }: SourceObject, file: SourceFile, { start, end }: Block): boolean {
  if (document.file.path !== file.path) return false
  const range = findNode(document.nodes(), path).node?.range
  const at = range && document.toFile(range[0])
  return at !== undefined && at !== null && at >= start && at < end
}

/** Returns the files that `file` and `templatefile` name. */
function namedLayers(input: Input, file: SourceFile, { name, attributes }: Block) {
  const span = attributes.get('values')
  const text = span ? file.text.slice(span.start, span.end) : ''
  const found = [...text.matchAll(/\b(?:template)?file\(\s*"([^"\n]*)"/g)].map(([, path = '']) => {
    const own = path.replace(/^.*\$\{[^}]*\}/, '')
    const sentence = `The values file ${path} is not in the input. Give these values to the import with --values.`
    const missing: Line = { file: file.path, path: `helm_release.${name}.values`, is: 'decide', sentence }
    return layerOf(fileEndingIn(input, own), missing, true)
  })
  return { layers: found.flatMap(({ layer }) => layer ?? []), notes: found.flatMap(({ note }) => note ?? []) }
}

/** Returns a line for values that are computed elsewhere in Terraform. The settings are read. */
function unreadLines({ path, text }: SourceFile, { name, start, end }: Block): readonly Line[] {
  const found = unreadValues(text).filter(
    ({ at, message }) => at >= start && at < end && !message.includes('"set" changes'),
  )
  return found.map(({ message }) => {
    const source = /its values are in (.*), which/.exec(message)?.[1] ?? 'Terraform'
    const sentence = `Values come from ${source}, which the import does not read. Give these values to the import with --values.`
    return { file: path, path: `helm_release.${name}.values`, is: 'decide', sentence }
  })
}

const setHeader = /^(?:set|set_sensitive|set_list)\s*\{/

/** Returns the settings of `set` blocks, and of the list `set` that newer providers have. */
function settingsOf(file: SourceFile, { name: block, nested, attributes }: Block): readonly Setting[] {
  const list = ['set', 'set_sensitive', 'set_list'].flatMap((key) => {
    const span = attributes.get(key)
    return span
      ? [...file.text.slice(span.start, span.end).matchAll(/\{[^{}]*(?:\$\{[^}]*\}[^{}]*)*\}/g)].map(([text]) => text)
      : []
  })
  const blocks = nested.map(({ start, end }) => file.text.slice(start, end)).filter((text) => setHeader.test(text))
  return [...blocks, ...list].flatMap((text) => {
    const name = attributeIn(text, 'name')
    if (name?.is !== 'text' || isUnknown(name.text)) return []
    const value = attributeIn(text, 'value')
    const isText = /\btype\s*=\s*"string"/.test(text)
    const own = value?.text ?? ''
    const isComputed = value?.is !== 'text' || isUnknown(own)
    return [
      {
        name: name.text,
        value: isComputed || isText ? own : typedValue(own),
        isComputed,
        at: ['helm_release', block, 'set', name.text],
      },
    ]
  })
}

function attributeIn(
  text: string,
  key: string,
): { readonly is: 'text' | 'expression'; readonly text: string } | undefined {
  const found = new RegExp(`\\b${key}\\s*=\\s*`).exec(text)
  if (!found) return undefined
  const at = found.index + found[0].length
  const quoted = text[at] === '"' ? readString(text, at) : undefined
  if (quoted) return { is: 'text', text: quoted.value }
  const expression = /^[^\n}]*/.exec(text.slice(at))?.[0].trim() ?? ''
  return /^-?\d+$|^(true|false)$/.test(expression)
    ? { is: 'text', text: expression }
    : { is: 'expression', text: expression }
}
