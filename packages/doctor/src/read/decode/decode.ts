// Decodes a file's text into objects: several documents, Lists, manifests in strings, template markers, heredocs. Never throws.
import { once } from '@dayfly/kit/once'
import { findMarkers, hasDollarMarkers } from '../template/mask.ts'
import { decodeTerraform } from '../terraform/decode-terraform.ts'
import { parseYaml } from '../yaml/parse.ts'
import { mayHoldManifest, mayHoldRunnerValues, mayInstallCharts, splitDocuments } from '../yaml/split.ts'
import { decodeChunk, type Source } from './decode-document.ts'
import { type Decoded, decodeEach, documentsMax, leaveOut, skippedIn, stop } from './decoded.ts'
import type { DecodedFile, SourceFile } from './document.ts'

/** `first`: the number of the first object, if the objects of several files are numbered together. */
export function decodeFile(file: SourceFile, first = 0): DecodedFile {
  const { text } = file
  const source = { file, markers: once(() => findMarkers(text, hasDollarMarkers(file.path, text))) }
  const { documents, objects, stops } = withReason(decodeText(source, text))
  return {
    file,
    documents,
    objects: objects.map((object, index) => ({ number: first + index, ...object })),
    skipped: skippedIn(file, stops),
  }
}

function decodeText(source: Source, text: string): Decoded {
  if (text.includes('\0')) return stop(undefined, 'not text')
  return /\.(?:tf|tofu|hcl)$/.test(source.file.path) ? decodeTerraform(source, text) : decodeStream(source, text)
}

/** A file without objects has a reason. */
function withReason(decoded: Decoded): Decoded {
  const isExplained = decoded.objects.length > 0 || decoded.stops.length > 0
  return isExplained ? decoded : { ...decoded, stops: leaveOut(undefined, 'no Kubernetes object in it').stops }
}

function decodeStream(source: Source, text: string): Decoded {
  const chunks = splitDocuments(text)
    .map(({ start, end }) => ({ start, text: text.slice(start, end), toFile: (offset: number) => start + offset }))
    .filter((chunk) => mayHoldManifest(chunk.text) || mayInstallCharts(chunk.text) || mayHoldRunnerValues(chunk.text))
  if (chunks.length === 0) return brokenIn(source, text) ?? leaveOut(undefined, 'no manifest in it')
  return decodeEach(
    chunks,
    0,
    (chunk, before) =>
      isDefinition(chunk.text)
        ? leaveOut(chunk.start, 'a CustomResourceDefinition: no rule reads it')
        : decodeChunk(source, chunk, before),
    ({ start }) => stop(start, `more than ${documentsMax} documents`),
  )
}

/** Larger files without a manifest are data. Reading all of them takes longer than the manifests do. */
const brokenMax = 64 * 1024

/** The fields around a kind. Broken YAML with one of them is a manifest whose mistake hides its kind; other broken YAML is not judged. */
const manifestField = /(?:^|[\s{,"'])(?:apiVersion|metadata|spec|template|image)["']?[ \t]*:/

/** Templates become YAML only when they are rendered. */
function brokenIn({ file, markers }: Source, text: string): Decoded | undefined {
  if (!/\.ya?ml$/.test(file.path) || text.length > brokenMax || markers().length > 0) return undefined
  for (const { start, end } of splitDocuments(text)) {
    const chunk = text.slice(start, end)
    const parsed = parseYaml(chunk)
    if ('value' in parsed) continue
    const at = start + (parsed.offset ?? 0)
    return manifestField.test(chunk) ? stop(at, parsed.failed) : leaveOut(at, parsed.failed)
  }
  return undefined
}

function isDefinition(text: string): boolean {
  return text.includes('CustomResourceDefinition') && /^kind: *CustomResourceDefinition *\r?$/m.test(text)
}
