// Tries each fix alone, as if no other were made. A report shows the result beside its finding.
import type { Finding } from '../finding.ts'
import { decodeFile } from '../read/decode/decode.ts'
import type { DecodedFile, SourceObject } from '../read/decode/document.ts'
import { splitDocuments } from '../read/yaml/split.ts'
import { fixFiles } from './fixes.ts'
import { type Change, diffLines } from './line-diff.ts'

/** The lines that the fix changes, or the reason why it would not be made. */
export type Preview = { readonly changes: readonly Change[] } | { readonly refused: string }

/** Each trial reads its text again. Above this number of letters (about a second), findings have no preview. */
const lettersMax = 16 * 1024 * 1024

export function previewFixes(
  findings: readonly Finding[],
  files: readonly DecodedFile[],
): ReadonlyMap<Finding, Preview> {
  const partOf = partFinder(files)
  const tried = new Map<Finding, Preview>()
  let letters = 0
  for (const finding of findings) {
    const part = finding.fix && partOf(finding)
    if (!part || letters + part.decoded.file.text.length > lettersMax) continue
    letters += part.decoded.file.text.length
    const preview = tryFix(finding, part)
    if (preview) tried.set(finding, preview)
  }
  return tried
}

/** One document of a file's stream, read alone, with the number of lines before it. */
type Part = { readonly decoded: DecodedFile; readonly linesBefore: number }

function tryFix(finding: Finding, { decoded, linesBefore }: Part): Preview | undefined {
  let passes = 0
  const { changed, refused } = fixFiles(
    [decoded],
    () => (passes++ === 0 ? [finding] : []),
    () => true,
  )
  if (refused[0]) return { refused: refused[0].reason }
  const [first] = changed
  if (!first) return undefined
  const changes = diffLines(first.before.text, first.after.text)
  return { changes: changes.map((change) => ({ ...change, from: change.from + linesBefore })) }
}

/** Finds the part for a finding. In a stream of many documents, a fix is tried on its own document only. */
function partFinder(files: readonly DecodedFile[]): (finding: Finding) => Part | undefined {
  const byPath = new Map(files.map((file) => [file.file.path, file]))
  const split = new Map<DecodedFile, ReadonlyMap<number, Part>>()
  return ({ place, document }) => {
    const file = place && byPath.get(place.file)
    if (!file || document === undefined) return undefined
    const parts = split.get(file) ?? splitFile(file)
    split.set(file, parts)
    return parts.get(document) ?? { decoded: file, linesBefore: 0 }
  }
}

/** Returns the parts by the numbers of their objects. Leaves out a part that reads differently than in the file. */
function splitFile({ file, objects }: DecodedFile): ReadonlyMap<number, Part> {
  const parts = new Map<number, Part>()
  const chunks = splitDocuments(file.text)
  if (chunks.length < 2) return parts
  const waiting = [...objects]
  let lines = 0
  let counted = 0
  for (const chunk of chunks) {
    const start = chunk.start === 1 ? 0 : chunk.start
    lines += countLineEnds(file.text.slice(counted, start))
    counted = start
    const own: SourceObject[] = []
    while (waiting[0] && waiting[0].document.toFile(0) < chunk.end) own.push(...waiting.splice(0, 1))
    const [first] = own
    if (!first || (start > 0 && file.text[start - 1] !== '\n')) continue
    const decoded = decodeFile({ ...file, text: file.text.slice(start, chunk.end) }, first.number)
    if (decoded.objects.length !== own.length) continue
    for (const { number } of own) parts.set(number, { decoded, linesBefore: lines })
  }
  return parts
}

function countLineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
