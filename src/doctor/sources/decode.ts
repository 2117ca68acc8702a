// A file's text → the objects in it, however they are wrapped: several documents, Lists, strings in strings, template markers, heredocs. Never throws.
import { once } from '../once.ts'
import { indexLines, type LineIndex } from '../places/place.ts'
import type { DecodedFile, Skipped, SourceDocument, SourceFile, SourceObject } from './document.ts'
import { type EmbeddedText, embeddedText } from './embedded.ts'
import { type FoundString, findObjects } from './find-objects.ts'
import { findReleases } from './hcl/find-releases.ts'
import { findTexts } from './hcl/find-texts.ts'
import { documentOf, maskUnknown } from './hcl/object-document.ts'
import type { ReadObject } from './hcl/read-object.ts'
import { isPatchString } from './kustomize.ts'
import { findMarkers, hasDollarMarkers, type LoneMarkers, type Marker, maskMarkers } from './mask.ts'
import { type Parsed, parseYaml, tooMuch } from './parse.ts'
import { mayHoldManifest, mayHoldObject, mayInstallCharts, splitDocuments } from './split.ts'

const lettersMax = 4 * 1024 * 1024
const nestingMax = 5
const documentsMax = 5_000

type Text = EmbeddedText & Pick<SourceDocument, 'host' | 'open'>
type Draft = {
  readonly file: SourceFile
  readonly documents: SourceDocument[]
  readonly objects: SourceObject[]
  readonly skipped: Skipped[]
  /** The number of the first object. */
  readonly first: number
  readonly lines: () => LineIndex
  readonly markers: () => readonly Marker[]
}

/** `first`: the number of the first object, where several files are numbered through. */
export function decodeFile(file: SourceFile, first = 0): DecodedFile {
  const { text } = file
  const lines = once(() => indexLines(file.text))
  const markers = once(() => findMarkers(text, hasDollarMarkers(file.path)))
  const draft: Draft = { file, documents: [], objects: [], skipped: [], first, lines, markers }
  if (text.length > lettersMax) skip(draft, undefined, `larger than ${lettersMax / 1024 / 1024} MiB`)
  else if (text.includes('\0')) skip(draft, undefined, 'not text')
  else if (isTerraform(file)) decodeTerraform(draft)
  else decodeStream(draft)
  if (draft.objects.length === 0 && draft.skipped.length === 0) leaveOut(draft, undefined, 'no Kubernetes object in it')
  return { file, documents: draft.documents, objects: draft.objects, skipped: draft.skipped }
}

function decodeStream(draft: Draft): void {
  const { text } = draft.file
  const chunks = splitDocuments(text)
    .map(({ start, end }) => ({ start, chunk: text.slice(start, end) }))
    .filter(({ chunk }) => mayHoldManifest(chunk) || mayInstallCharts(chunk))
  if (chunks.length === 0) leaveOut(draft, undefined, 'no manifest in it')
  for (const { start, chunk } of chunks) {
    if (draft.documents.length + draft.skipped.length >= documentsMax) {
      skip(draft, start, `more than ${documentsMax} documents`)
      return
    }
    if (chunk.includes('CustomResourceDefinition') && /^kind: *CustomResourceDefinition *\r?$/m.test(chunk)) {
      leaveOut(draft, start, 'a CustomResourceDefinition: no rule reads it')
      continue
    }
    decodeChunk(draft, chunk, (offset) => start + offset)
  }
}

function isTerraform({ path }: SourceFile): boolean {
  return /\.(?:tf|tofu|hcl)$/.test(path)
}

/** Terraform's provider writes pods in blocks of its own, which are no manifests. */
const podResources =
  /^resource\s+"(kubernetes_(?:cron_job|daemon_?set|deployment|job|pod|replication_controller|stateful_set)(?:_v1)?)"/gm

function decodeTerraform(draft: Draft): void {
  const { text } = draft.file
  const pods = [...text.matchAll(podResources)]
  for (const { index, 1: type } of pods) leaveOut(draft, index, `a ${type} of Terraform's own: no rule reads it`)
  const releases = findReleases(text, draft.file.path)
  if (releases) addTerraform(draft, releases, { masked: maskUnknown(text, [releases]), open: false })
  if (!mayHoldObject(text)) {
    if (pods.length === 0 && !releases) leaveOut(draft, undefined, 'no manifest in it')
    return
  }
  const { heredocs, objects, malformed } = findTexts(text)
  for (const { text: body, toFile, prefix } of heredocs) {
    if (mayHoldManifest(body)) decodeChunk(draft, body, toFile, prefix)
  }
  const masked = maskUnknown(text, objects)
  for (const object of objects) {
    const [start = 0, end] = object.node.range ?? []
    if (!mayHoldObject(text.slice(start, end))) continue
    addTerraform(draft, object, { masked, open: object.open })
  }
  if (malformed) skip(draft, malformed.at, `an object of Terraform: ${malformed.message}`)
}

function addTerraform(draft: Draft, object: ReadObject, { masked, open }: { masked: string; open: boolean }): void {
  const { value, nodes, spot, ...rest } = documentOf(object, masked)
  addDocument(draft, { ...rest, host: undefined, open }, { value, nodes, spot })
}

function decodeChunk(draft: Draft, chunk: string, toFile: (offset: number) => number, prefix = ''): void {
  const { path } = draft.file
  const { text, parsed, open } = parseTemplate(chunk, hasDollarMarkers(path))
  if ('value' in parsed) {
    addDocument(draft, { text, toFile, prefix, readonlyBecause: undefined, host: undefined, open }, parsed)
  } else if (isAnyText(path)) leaveOut(draft, toFile(parsed.offset ?? 0), 'a template of Terraform that is no YAML')
  else skip(draft, toFile(parsed.offset ?? 0), parsed.failed)
}

/** A template of Terraform may be of anything: a script, a configuration. */
function isAnyText(path: string): boolean {
  return path.endsWith('.tftpl') && !/\.(?:ya?ml|json)\.tftpl$/.test(path)
}

type Attempt = { readonly text: string; readonly parsed: Parsed }

function parseTemplate(chunk: string, dollar = false): Attempt & Pick<SourceDocument, 'open'> {
  const markers = findMarkers(chunk, dollar)
  if (markers.length === 0) return { ...unmasked(chunk), open: false }
  const { text, parsed } = parseMasked(chunk, markers)
  const open = markers.some(({ role, alone }) => role === 'value' && alone)
  if ('value' in parsed) return { text, parsed, open }
  const failed = `${parsed.failed} (after masking ${markers.length} template markers)`
  return { text, parsed: { ...parsed, failed }, open }
}

function unmasked(chunk: string): Attempt {
  return { text: chunk, parsed: parseYaml(chunk) }
}

/** Tries the ways to mask a line that is only a marker, and takes the first that parses; if none does, the first failure. */
function parseMasked(chunk: string, markers: readonly Marker[]): Attempt {
  const refusal = tooMuch(chunk)
  if (refusal !== undefined) return { text: chunk, parsed: { failed: refusal, offset: undefined } }
  const attempt = (way: LoneMarkers): Attempt => {
    const text = maskMarkers(chunk, markers, way)
    return { text, parsed: parseYaml(text) }
  }
  const first = attempt('comment')
  if ('value' in first.parsed) return first
  for (const way of ['aligned', 'blank'] as const) {
    const other = attempt(way)
    if ('value' in other.parsed) return other
  }
  return first
}

function addDocument(draft: Draft, text: Text, parsed: Extract<Parsed, { value: unknown }>): void {
  const document: SourceDocument = { file: draft.file, markers: draft.markers, ...text, ...parsed }
  draft.documents.push(document)
  const found = findObjects(document.value)
  if (found.cut) skip(draft, document.toFile(0), 'more values than are examined')
  for (const object of found.objects) {
    draft.objects.push({ number: draft.first + draft.objects.length, document, ...object })
  }
  for (const inner of found.strings) addEmbedded(draft, document, inner)
}

function addEmbedded(draft: Draft, host: SourceDocument, found: FoundString): void {
  const { path } = found
  const inside = embeddedText(host, found)
  if (!inside) return
  if (isPatchString(draft.file, path)) {
    leaveOut(draft, inside.toFile(0), 'a patch of kustomize: only a part of an object')
    return
  }
  if (nesting(host) >= nestingMax || draft.documents.length >= documentsMax) {
    skip(draft, inside.toFile(0), 'manifests inside manifests, more than are examined')
    return
  }
  for (const { start, end } of splitDocuments(inside.text)) {
    const chunk = inside.text.slice(start, end)
    if (!mayHoldManifest(chunk)) continue
    // Other strings were masked together with the text around them.
    const { text, parsed, open } = found.encoded ? parseTemplate(chunk) : { ...unmasked(chunk), open: host.open }
    if ('failed' in parsed) {
      if (isProse(found)) {
        leaveOut(draft, inside.toFile(start), 'a script or a text in a string: manifests in it are not read')
      } else skip(draft, inside.toFile(start + (parsed.offset ?? 0)), `text in a string: ${parsed.failed}`)
      continue
    }
    const toFile = (offset: number) => inside.toFile(start + offset)
    addDocument(draft, { ...inside, text, toFile, host: { document: host, path }, open }, parsed)
  }
}

const manifestLine = /^[ \t]*(?:- +)?["']?(?:kind|containers)["']?[ \t]*:|[{,][ \t]*"(?:kind|containers)"/m
/** A heredoc, the fence of an example, a hunk of a patch. */
const quotation = /<<-?[ \t]*["']?[A-Za-z_]|^[ \t]*(?:```|~~~)|^@@ /m

/** It speaks of manifests, or quotes them, and was never meant to be one. */
function isProse({ path, text }: FoundString): boolean {
  if (text.startsWith('#!') || /\.(?:sh|bash|py|md|txt|adoc|rst)$/i.test(String(path.at(-1)))) return true
  const line = text.search(manifestLine)
  const quoted = text.search(quotation)
  return line < 0 || (quoted >= 0 && quoted < line)
}

function nesting(document: SourceDocument): number {
  return document.host ? nesting(document.host.document) + 1 : 0
}

function leaveOut(draft: Draft, offset: number | undefined, reason: string): void {
  skip(draft, offset, reason, { intended: true })
}

function skip(draft: Draft, offset: number | undefined, reason: string, more: Pick<Skipped, 'intended'> = {}): void {
  draft.skipped.push({
    file: draft.file.path,
    line: offset === undefined ? undefined : draft.lines()(offset).line,
    reason,
    ...more,
  })
}
