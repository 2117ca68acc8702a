// Examines files: decodes them, runs the rules and gives each finding its place.
import type { ReadSet, VersionFact } from '../facts.ts'
import type { Confidence, Finding, Hit } from '../finding.ts'
import type { DeclaredCluster } from '../read/clusters/declared-cluster.ts'
import { findClusters } from '../read/clusters/find-clusters.ts'
import { decodeFile } from '../read/decode/decode.ts'
import type { DecodedFile, Skipped, SourceFile, SourceObject } from '../read/decode/document.ts'
import { isKustomization, patchFiles } from '../read/decode/kustomize.ts'
import { unreadObjects } from '../read/decode/unread.ts'
import { filler, isUnknown, mayBeWritten } from '../read/template/template-value.ts'
import { findNode } from '../read/yaml/nodes.ts'
import { indexLines, type LineIndex, placeOf } from '../read/yaml/place.ts'
import type { Rule } from '../rule.ts'
import { type ChartVersion, chartOf, chartVersions } from '../versions/chart-versions.ts'
import { gatherFacts } from './gather-facts.ts'
import { runRules, type SkippedRule, toFinding } from './run-rules.ts'
import { type Suppression, suppress } from './suppressions.ts'

/** The examined and the unexamined parts of the input. Every part is counted. */
export type Coverage = {
  readonly files: { readonly seen: number; readonly decoded: number }
  readonly objects: number
  readonly pods: number
  /** Parts that could not be examined: findings may be missing. */
  readonly skipped: readonly Skipped[]
  /** Parts left out on purpose: files without manifests, patches, definitions, kinds of other systems that run jobs. */
  readonly leftOut: readonly Skipped[]
  /** Charts that name the Kubernetes versions they allow. These versions apply to the files of the chart. */
  readonly charts: readonly ChartVersion[]
}

export type Examination = {
  readonly findings: readonly Finding[]
  /** Findings that a comment in the file silences, with the reason in the comment. */
  readonly suppressed: readonly { readonly finding: Finding; readonly reason: string }[]
  readonly unusedSuppressions: readonly Suppression[]
  readonly coverage: Coverage
  readonly skippedRules: readonly SkippedRule[]
}

export type ExamineOptions = {
  readonly version?: VersionFact
  /** Files that could not be read. */
  readonly skipped?: readonly Skipped[]
  /** Charts around the files. They only contribute their Kubernetes versions. */
  readonly charts?: readonly SourceFile[]
  /** The clusters that the operator declares. */
  readonly clusters?: readonly DeclaredCluster[]
  readonly readSet?: ReadSet | undefined
}

export function decodeFiles(files: readonly SourceFile[]): DecodedFile[] {
  let next = 0
  const kustomizations = new Map(
    files.filter(({ path }) => isKustomization(path)).map((file) => [file, decodeFile(file)]),
  )
  const patches = patchFiles(kustomizations.values())
  return files.map((file) => {
    const patched = patches.get(file.path)
    if (patched !== undefined) return asPatch(file, patched)
    const known = kustomizations.get(file)
    const decoded = known ? numberedFrom(next, known) : decodeFile(file, next)
    next += decoded.objects.length
    return decoded
  })
}

function numberedFrom(first: number, decoded: DecodedFile): DecodedFile {
  return { ...decoded, objects: decoded.objects.map((object) => ({ ...object, number: first + object.number })) }
}

function asPatch(file: SourceFile, kustomization: string): DecodedFile {
  const reason = `a patch of ${kustomization}: only a part of an object`
  return { file, documents: [], objects: [], skipped: [{ file: file.path, line: undefined, reason, intended: true }] }
}

export function examine(
  files: readonly DecodedFile[],
  rules: readonly Rule[],
  options: ExamineOptions = {},
): Examination {
  const objects = files.flatMap((file) => file.objects)
  const charts = options.version?.declared
    ? []
    : chartVersions([...files.map(({ file }) => file), ...(options.charts ?? [])])
  const clusters = findClusters(files, options.clusters)
  const versionOf = (file: string) => clusters.versionOf(file) ?? chartOf(file, charts)?.version
  const facts = {
    ...gatherFacts(objects, options.version, versionOf, clusters.deliveryOf),
    readSet: options.readSet,
  }
  const { hits, skippedRules } = runRules(facts, rules)
  const linesOf = lineIndexes()
  const locate = locator(objects, linesOf)
  const skipped = [
    ...(options.skipped ?? []),
    ...files.flatMap((file) => file.skipped),
    ...unreadObjects(objects, linesOf),
  ]
  const all = hits.flatMap(({ rule, hit }) => locate(rule, hit) ?? []).sort(byPlace)
  return {
    ...suppress(all, files),
    coverage: {
      files: {
        seen: files.length + (options.skipped ?? []).filter(({ file }) => !file.endsWith('/')).length,
        decoded: files.filter((file) => file.objects.length > 0).length,
      },
      objects: facts.objects.length,
      pods: facts.pods.length,
      skipped: skipped.filter(({ intended }) => !intended),
      leftOut: skipped.filter(({ intended }) => intended),
      charts,
    },
    skippedRules,
  }
}

type LinesOf = (file: SourceFile) => LineIndex

/** Indexes each file once, at the first request. */
function lineIndexes(): LinesOf {
  const indexes = new Map<SourceFile, LineIndex>()
  return (file) => {
    const lines = indexes.get(file) ?? indexLines(file.text)
    indexes.set(file, lines)
    return lines
  }
}

function locator(objects: readonly SourceObject[], linesOf: LinesOf): (rule: Rule, hit: Hit) => Finding | undefined {
  const byNumber = new Map(objects.map((object) => [object.number, object]))
  return (rule, hit) => {
    const object = hit.document === undefined ? undefined : byNumber.get(hit.document)
    const finding = toFinding({ rule, hit })
    if (!object) return finding
    if (isComputed(object, hit)) return undefined
    const { file, open } = object.document
    const lines = linesOf(file)
    return {
      ...finding,
      confidence: open ? lower(finding.confidence) : finding.confidence,
      place: placeOf(object, hit.path, lines),
      related: (hit.related ?? []).map(({ path, message }) => ({ place: placeOf(object, path, lines), message })),
    }
  }
}

/** Whether a template computes the value. Such a value is unknown, so it can be neither wrong nor missing. */
function isComputed({ document, path: begin, value }: SourceObject, hit: Hit): boolean {
  if (!document.text.includes(filler)) return false
  if (hit.absent?.some((path) => mayBeWritten(value, path))) return true
  const path = [...begin, ...hit.path]
  const { node, depth } = findNode(document.nodes(), path)
  return depth === path.length && node !== undefined && 'value' in node && isUnknown(node.value)
}

function lower(confidence: Confidence): Confidence {
  return confidence === 'high' ? 'medium' : 'low'
}

function byPlace(left: Finding, right: Finding): number {
  const [a, b] = [left.place, right.place]
  return (
    compare(a?.file ?? '', b?.file ?? '') ||
    (a?.start ?? 0) - (b?.start ?? 0) ||
    compare(left.code, right.code) ||
    compare(left.message, right.message)
  )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
