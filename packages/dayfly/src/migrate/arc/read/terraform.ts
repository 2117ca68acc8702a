// Finds ARC's runners in Terraform: `helm_release` blocks with their values and settings.
import { arcChart } from '@dayfly/doctor/arc/chart-release'
import type { SourceFile, SourceObject } from '@dayfly/doctor/read/decode/document'
import { filler, isUnknown } from '@dayfly/doctor/read/template/template-value'
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
import { valuesOfSettings } from './set-path.ts'
import { referredNamespace } from './terraform-namespace.ts'
import { settingsOf } from './terraform-settings.ts'
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
      used.push(...inside, ...found.used)
      releases.push(...found.releases)
      unread.push(...found.unread)
    }
  }
  return { releases, used, unread }
}

function fromBlock(input: Input, file: SourceFile, block: Block): FoundReleases {
  const at = ['helm_release', block.name]
  const span = block.attributes.get('namespace')
  const namespace = span && file.text.slice(span.start, span.end)
  const named = namedLayers(input, file, block)
  const { settings, notes: ofSettings } = settingsOf(file, block)
  const layers: readonly Values[] = [
    ...named.layers,
    ...writtenLayers(file, block),
    ...(settings.length > 0 ? [valuesOfSettings(file.path, settings)] : []),
  ]
  const isNamed = named.layers.length + named.used.length > 0
  const notes = [...copyLines(file, block), ...named.notes, ...(isNamed ? [] : unreadLines(file, block)), ...ofSettings]
  const releases = assemble({
    form: 'Terraform',
    file: file.path,
    at,
    name: known(textOf(file, block, 'name')),
    namespace: known(textOf(file, block, 'namespace')) ?? referredNamespace(input, file.path, namespace),
    isChart: true,
    layers,
    notes,
  }).filter(({ values }) => describesRunners(values))
  return { releases, used: named.used, unread: releases.length > 0 ? [] : notes }
}

/** One block may be several releases, or none. */
function copyLines(file: SourceFile, { name, attributes }: Block): readonly Line[] {
  const sentences = {
    for_each: 'Terraform makes a release for each element, and this is one RunnerSet. Copy it for each of them.',
    count: 'Terraform computes how many of these releases there are, and this is one RunnerSet.',
  }
  return Object.entries(sentences).flatMap(([key, sentence]) =>
    attributes.has(key) ? [{ file: file.path, path: `helm_release.${name}.${key}`, is: 'decide', sentence }] : [],
  )
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

/** Returns the files that `file` and `templatefile` name. `used`: files that a name may mean which Terraform computes. */
function namedLayers(input: Input, file: SourceFile, { name, attributes }: Block) {
  const span = attributes.get('values')
  const text = span ? file.text.slice(span.start, span.end) : ''
  const line = (sentence: string): Line => ({
    file: file.path,
    path: `helm_release.${name}.values`,
    is: 'decide',
    sentence,
  })
  const found = [...text.matchAll(/\b(?:template)?file\(\s*(?=")/g)].map(({ 0: call, index }) => {
    const start = index + call.length
    const read = readString(text, start)
    const shown = text.slice(start + 1, (read?.end ?? start + 2) - 1)
    // Files of a module are beside it.
    const own = (read?.value ?? '').replace(new RegExp(`^${filler}`), '')
    if (isUnknown(own)) {
      const sentence = `Terraform computes the name of the values file ${shown}. Give the right file to the import with --values.`
      return { layer: undefined, note: line(sentence), used: filesLike(input, own) }
    }
    const missing = line(`The values file ${shown} is not in the input. Give these values to the import with --values.`)
    return { ...layerOf(fileEndingIn(input, own), missing, true), used: [] }
  })
  return {
    layers: found.flatMap(({ layer }) => layer ?? []),
    notes: found.flatMap(({ note }) => note ?? []),
    used: found.flatMap(({ used }) => used),
  }
}

/** Returns the values in files whose name has any text in place of the filler. */
function filesLike({ objects }: Input, name: string): readonly SourceObject[] {
  const parts = name.split('/').at(-1)?.split(filler) ?? []
  const pattern = new RegExp(`(^|/)${parts.map((part) => part.replace(/[^\w]/g, '\\$&')).join('[^/]*')}$`)
  return objects.filter(({ kind, document }) => kind === 'values' && pattern.test(document.file.path))
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
