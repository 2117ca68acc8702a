// Applies fixes to the texts of files. Every byte outside the splices stays.
// The new text is read again; if it does not mean exactly what was intended, the fix is refused.
import { isDeepStrictEqual } from 'node:util'
import type { Path } from '@dayfly/kit/read-json'
import { valueAt } from '@dayfly/kit/read-json'
import type { Edit, Finding } from '../finding.ts'
import { decodeFile } from '../read/decode/decode.ts'
import type { DecodedFile, SourceDocument, SourceFile } from '../read/decode/document.ts'
import { applyEdits, copyValue } from './apply-edits.ts'
import { Refusal, refuse } from './refusal.ts'
import { applySplices, type Splice } from './splice.ts'
import { spliceCarry } from './splice-carry.ts'
import { spliceMove } from './splice-move.ts'
import { spliceRemove } from './splice-remove.ts'
import { spliceSet } from './splice-set.ts'

export type Refused = { readonly finding: Finding; readonly reason: string }
type FixedFile = { readonly before: SourceFile; readonly after: SourceFile }

export type FixResult = {
  /** Files whose text changed, after all passes. */
  readonly changed: readonly FixedFile[]
  readonly applied: readonly Finding[]
  readonly refused: readonly Refused[]
  /** All files after the fixes, decoded. */
  readonly files: readonly DecodedFile[]
}

const passesMax = 10

/** Applies fixes until none is left. `findingsOf` examines the files after each pass; `accept` chooses fixes (safe ones, or all). */
export function fixFiles(
  files: readonly DecodedFile[],
  findingsOf: (files: readonly DecodedFile[]) => readonly Finding[],
  accept: (finding: Finding) => boolean,
): FixResult {
  const originals = new Map(files.map(({ file }) => [file.path, file]))
  const applied: Finding[] = []
  const refused = new Map<string, Refused>()
  let now = files
  for (let pass = 0; pass < passesMax; pass++) {
    const wanted = findingsOf(now).filter(
      (finding) => finding.fix && accept(finding) && !refused.has(identify(finding)),
    )
    const outcome = fixOnce(now, wanted)
    for (const one of outcome.refused) refused.set(identify(one.finding), one)
    applied.push(...outcome.applied)
    now = outcome.files
    if (outcome.applied.length === 0) break
  }
  const changed = now.flatMap(({ file }) => {
    const before = originals.get(file.path)
    return before && before.text !== file.text ? [{ before, after: file }] : []
  })
  return { changed, applied, refused: [...refused.values()], files: now }
}

type Pass = Pick<FixResult, 'applied' | 'refused' | 'files'>

/** Makes one pass. If fixes touch the same text, only the first is applied; the others wait for the next pass. */
function fixOnce(files: readonly DecodedFile[], findings: readonly Finding[]): Pass {
  const applied: Finding[] = []
  const refused: Refused[] = []
  const fixed = files.map((file) => {
    const own = findings.filter(({ place: at }) => at?.file === file.file.path)
    return own.length === 0 ? file : fixFile(file, own, { applied, refused })
  })
  return { applied, refused, files: renumber(fixed) }
}

type Tally = { readonly applied: Finding[]; readonly refused: Refused[] }
type Change = {
  readonly finding: Finding
  readonly document: SourceDocument
  /** Their paths start from the root of the document. */
  readonly edits: readonly Edit[]
  readonly splices: readonly Splice[]
}

function fixFile(decoded: DecodedFile, findings: readonly Finding[], tally: Tally): DecodedFile {
  const changes: Change[] = []
  for (const finding of findings) {
    attempt(finding, tally, () => {
      const change = plan(decoded, finding)
      if (change.splices.length === 0) refuse('there is nothing to change')
      if (!changes.some((other) => overlap(other, change))) changes.push(change)
    })
  }
  return proveAll(decoded, changes, tally)
}

/** Proves all changes together, which nearly always succeeds. If it fails, proves them one after the other to find the wrong one. */
function proveAll(decoded: DecodedFile, changes: readonly Change[], tally: Tally): DecodedFile {
  const together = changes.length > 1 ? attempt(undefined, tally, () => prove(decoded, changes)) : undefined
  if (together) {
    tally.applied.push(...changes.map(({ finding }) => finding))
    return together
  }
  const proved: Change[] = []
  let result = decoded
  for (const change of changes) {
    const next = attempt(change.finding, tally, () => prove(decoded, [...proved, change]))
    if (!next) continue
    result = next
    proved.push(change)
    tally.applied.push(change.finding)
  }
  return result
}

/** Records a refusal, with its finding if one caused it. */
function attempt<Result>(finding: Finding | undefined, tally: Tally, run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (finding) tally.refused.push({ finding, reason: error.message })
    return undefined
  }
}

function plan(decoded: DecodedFile, finding: Finding): Change {
  const object =
    decoded.objects.find(({ number }) => number === finding.document) ?? refuse('its object is not in the file')
  const { document } = object
  if (document.readonlyBecause !== undefined) refuse(document.readonlyBecause)
  const edits = (finding.fix?.edits ?? []).map((edit) => fromRoot(edit, object.path))
  return { finding, document, edits, splices: edits.flatMap((edit) => splice(document, edit)) }
}

/** Turns an edit of an object at this path into an edit of its document. */
function fromRoot(edit: Edit, begin: Path): Edit {
  return 'from' in edit
    ? { ...edit, from: [...begin, ...edit.from], to: [...begin, ...edit.to] }
    : { ...edit, path: [...begin, ...edit.path] }
}

function splice(document: SourceDocument, edit: Edit): Splice[] {
  switch (edit.do) {
    case 'set':
      return spliceSet(document, edit)
    case 'remove':
      return spliceRemove(document, edit.path)
    case 'carry':
      return spliceCarry(document, edit)
    case 'move':
      return spliceMove(document, edit)
  }
}

function overlap(left: Change, right: Change): boolean {
  return left.splices.some((a) => right.splices.some((b) => a.start <= b.end && b.start <= a.end))
}

/** Reads the new text again. Each document must keep its meaning, and each changed one must mean what was intended. */
function prove(decoded: DecodedFile, changes: readonly Change[]): DecodedFile {
  const splices = changes.flatMap((change) => change.splices)
  const text = applySplices(decoded.file.text, splices)
  const after = decodeFile({ ...decoded.file, text }, decoded.objects[0]?.number)
  const same = after.documents.length === decoded.documents.length && after.skipped.length === decoded.skipped.length
  if (!same) refuse('the changed text does not read as intended')
  const [hostedBefore, hostedAfter] = [hostedPaths(decoded), hostedPaths(after)]
  for (const [index, before] of decoded.documents.entries()) {
    const document = after.documents[index]
    const intended = withoutHosted(intend(before, changes), hostedBefore.get(before))
    const read = document && withoutHosted(document.value, hostedAfter.get(document))
    if (!document || !isDeepStrictEqual(read, intended)) refuse('the changed text does not read as intended')
  }
  return after
}

function intend(document: SourceDocument, changes: readonly Change[]): unknown {
  const edits = changes.flatMap((change) => (change.document === document ? change.edits : []))
  return edits.length === 0 ? document.value : applyEdits(document.value, edits)
}

/** Returns the paths of strings that are documents themselves, by the document that holds them. */
function hostedPaths({ documents }: DecodedFile): ReadonlyMap<SourceDocument, readonly Path[]> {
  const paths = new Map<SourceDocument, Path[]>()
  for (const { host } of documents) {
    if (!host) continue
    const others = paths.get(host.document)
    if (others) others.push(host.path)
    else paths.set(host.document, [host.path])
  }
  return paths
}

/** Blanks these strings, because each is compared as a document. */
function withoutHosted(value: unknown, hosted: readonly Path[] = []): unknown {
  if (hosted.length === 0) return value
  const copy: unknown = copyValue(value)
  for (const path of hosted) {
    const here = valueAt(copy, ...path.slice(0, -1))
    const last = path.at(-1)
    if (last !== undefined && typeof here === 'object' && here !== null) Reflect.set(here, last, '')
  }
  return copy
}

function renumber(files: readonly DecodedFile[]): DecodedFile[] {
  let next = 0
  return files.map((file) => {
    const objects = file.objects.map((object) => ({ ...object, number: next++ }))
    return { ...file, objects }
  })
}

function identify({ rule, place: at, object, container, message }: Finding): string {
  return JSON.stringify([rule, at?.file, object.kind, object.namespace, object.name, container, message])
}
