// Adds a document to the draft of its file, with its objects and the documents in its strings.
import type { SourceDocument } from './document.ts'
import { type Draft, documentsMax, leaveOut, skip } from './draft.ts'
import { type EmbeddedText, embeddedText } from './embedded.ts'
import { type FoundString, findObjects } from './find-objects.ts'
import { isPatchString } from './kustomize.ts'
import { hasDollarMarkers } from './mask.ts'
import { type Parsed, parseYaml } from './parse.ts'
import { parseTemplate } from './parse-template.ts'
import { isProse } from './prose.ts'
import { mayHoldManifest, splitDocuments } from './split.ts'
import { withDefaults } from './substitutions.ts'

type Text = EmbeddedText & Pick<SourceDocument, 'host' | 'open'>

const nestingMax = 5

/** Parses a part of the file. Records the reason if that fails. */
export function addChunk(draft: Draft, chunk: string, toFile: (offset: number) => number): void {
  const { path } = draft.file
  const { text, parsed, open } = parseTemplate(chunk, hasDollarMarkers(path))
  if ('value' in parsed) {
    addDocument(draft, { text, toFile, readonlyBecause: undefined, host: undefined, open }, parsed)
  } else if (isAnyText(path)) leaveOut(draft, toFile(parsed.offset ?? 0), 'a template of Terraform that is no YAML')
  else skip(draft, toFile(parsed.offset ?? 0), parsed.failed)
}

/** Whether it is a Terraform template of any kind of text, such as a script. */
function isAnyText(path: string): boolean {
  return path.endsWith('.tftpl') && !/\.(?:ya?ml|json)\.tftpl$/.test(path)
}

type Read = Extract<Parsed, { value: unknown }>

export function addDocument(draft: Draft, text: Text, { respelled, ...read }: Read): void {
  const own = respelled && {
    text: respelled.text,
    toFile: (offset: number) => text.toFile(respelled.toOuter(offset)),
  }
  const value = withDefaults(read.value, text.text)
  const document: SourceDocument = { file: draft.file, markers: draft.markers, ...text, ...own, ...read, value }
  draft.documents.push(document)
  const found = findObjects(document.value, document.host !== undefined)
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
    // All other strings were masked with the text around them.
    const { text, parsed, open } = found.encoded
      ? parseTemplate(chunk)
      : { text: chunk, parsed: parseYaml(chunk), open: host.open }
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

function nesting(document: SourceDocument): number {
  return document.host ? nesting(document.host.document) + 1 : 0
}
