// Decodes a file's text into objects: several documents, Lists, manifests in strings, template markers, heredocs. Never throws.
import { once } from '@dayfly/kit/once'
import { addChunk } from './add-document.ts'
import { decodeTerraform } from './decode-terraform.ts'
import type { DecodedFile, SourceFile } from './document.ts'
import { type Draft, documentsMax, leaveOut, skip } from './draft.ts'
import { findMarkers, hasDollarMarkers } from './mask.ts'
import { indexLines } from './place.ts'
import { mayHoldManifest, mayHoldRunnerValues, mayInstallCharts, splitDocuments } from './split.ts'

/** `first`: the number of the first object, if the objects of several files are numbered together. */
export function decodeFile(file: SourceFile, first = 0): DecodedFile {
  const { text } = file
  const lines = once(() => indexLines(file.text))
  const markers = once(() => findMarkers(text, hasDollarMarkers(file.path)))
  const draft: Draft = { file, documents: [], objects: [], skipped: [], first, lines, markers }
  if (text.includes('\0')) skip(draft, undefined, 'not text')
  else if (isTerraform(file)) decodeTerraform(draft)
  else decodeStream(draft)
  if (draft.objects.length === 0 && draft.skipped.length === 0) leaveOut(draft, undefined, 'no Kubernetes object in it')
  return { file, documents: draft.documents, objects: draft.objects, skipped: draft.skipped }
}

function decodeStream(draft: Draft): void {
  const { text } = draft.file
  const chunks = splitDocuments(text)
    .map(({ start, end }) => ({ start, chunk: text.slice(start, end) }))
    .filter(({ chunk }) => mayHoldManifest(chunk) || mayInstallCharts(chunk) || mayHoldRunnerValues(chunk))
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
    addChunk(draft, chunk, (offset) => start + offset)
  }
}

function isTerraform({ path }: SourceFile): boolean {
  return /\.(?:tf|tofu|hcl)$/.test(path)
}
