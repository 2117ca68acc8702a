// Decodes one document of a file, with its objects and the documents in its strings.
import { hasDollarMarkers } from '../template/mask.ts'
import { parseTemplate } from '../template/parse-template.ts'
import { withDefaults } from '../template/substitutions.ts'
import { type Parsed, parseYaml } from '../yaml/parse.ts'
import { mayHoldManifest, splitDocuments } from '../yaml/split.ts'
import { type Decoded, decodeEach, documentsMax, leaveOut, stop, together } from './decoded.ts'
import type { SourceDocument } from './document.ts'
import { type EmbeddedText, embeddedText } from './embedded.ts'
import { type FoundString, findObjects } from './find-objects.ts'
import { isPatchString } from './kustomize.ts'
import { isProse } from './prose.ts'

/** The file that is decoded. */
export type Source = Pick<SourceDocument, 'file' | 'markers'>
/** A part of the file, as text. */
type Chunk = Pick<SourceDocument, 'text' | 'toFile'>
type Text = EmbeddedText & Pick<SourceDocument, 'host' | 'open'>
type Read = Extract<Parsed, { value: unknown }>

const nestingMax = 5

/** `before`: the size of what the file holds before it. */
export function decodeChunk(source: Source, { text: chunk, toFile }: Chunk, before: number): Decoded {
  const { path } = source.file
  const { text, parsed, open } = parseTemplate(chunk, hasDollarMarkers(path, chunk))
  if ('value' in parsed) {
    return decodeDocument(source, { text, toFile, readonlyBecause: undefined, host: undefined, open }, parsed, before)
  }
  const at = toFile(parsed.offset ?? 0)
  return isAnyText(path) ? leaveOut(at, 'a template of Terraform that is no YAML') : stop(at, parsed.failed)
}

/** Whether it is a Terraform template of any kind of text, such as a script. */
function isAnyText(path: string): boolean {
  return /\.(?:tf)?tpl$/.test(path) && !/\.(?:ya?ml|json)\.(?:tf)?tpl$/.test(path)
}

export function decodeDocument(source: Source, text: Text, { respelled, ...read }: Read, before: number): Decoded {
  const own = respelled && {
    text: respelled.text,
    toFile: (offset: number) => text.toFile(respelled.toOuter(offset)),
  }
  const value = withDefaults(read.value, text.text)
  const document: SourceDocument = { ...source, ...text, ...own, ...read, value }
  const found = findObjects(document.value, document.host !== undefined)
  const self: Decoded = {
    documents: [document],
    objects: found.objects.map((object) => ({ document, ...object })),
    stops: found.cut ? [{ offset: document.toFile(0), reason: 'more values than are examined' }] : [],
  }
  const inner = decodeEach(found.strings, before + 1, (string, size) => decodeEmbedded(document, string, size))
  return together([self, inner])
}

function decodeEmbedded(host: SourceDocument, found: FoundString, before: number): Decoded {
  const { path } = found
  const inside = embeddedText(host, found)
  if (!inside) return together([])
  if (isPatchString(host.file, path)) {
    return leaveOut(inside.toFile(0), 'a patch of kustomize: only a part of an object')
  }
  if (nesting(host) >= nestingMax || before >= documentsMax) {
    return stop(inside.toFile(0), 'manifests inside manifests, more than are examined')
  }
  const chunks = splitDocuments(inside.text)
    .map(({ start, end }) => ({ start, chunk: inside.text.slice(start, end) }))
    .filter(({ chunk }) => mayHoldManifest(chunk))
  return decodeEach(chunks, before, ({ start, chunk }, size) => {
    // All other strings were masked with the text around them.
    const { text, parsed, open } = found.encoded
      ? parseTemplate(chunk)
      : { text: chunk, parsed: parseYaml(chunk), open: host.open }
    if ('failed' in parsed) {
      return isProse(found)
        ? leaveOut(inside.toFile(start), 'a script or a text in a string: manifests in it are not read')
        : stop(inside.toFile(start + (parsed.offset ?? 0)), `text in a string: ${parsed.failed}`)
    }
    const toFile = (offset: number) => inside.toFile(start + offset)
    return decodeDocument(host, { ...inside, text, toFile, host: { document: host, path }, open }, parsed, size)
  })
}

function nesting(document: SourceDocument): number {
  return document.host ? nesting(document.host.document) + 1 : 0
}
