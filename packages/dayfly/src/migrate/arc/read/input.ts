// The files of the input, decoded: their objects, and values files that a release names.
import { decodeFiles } from '@dayfly/doctor/engine/examine'
import { gatherFacts } from '@dayfly/doctor/engine/gather-facts'
import type { Facts } from '@dayfly/doctor/facts'
import type { SourceDocument, SourceFile, SourceObject } from '@dayfly/doctor/read/decode/document'
import { hasDollarMarkers } from '@dayfly/doctor/read/template/mask'
import { parseTemplate } from '@dayfly/doctor/read/template/parse-template'
import { writtenValue } from '@dayfly/doctor/read/template/written-value'
import { findNode } from '@dayfly/doctor/read/yaml/nodes'
import { splitDocuments } from '@dayfly/doctor/read/yaml/split'
import { isJsonObject, type JsonObject, type Path, valueAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import { showPath, type Values, valuesAt } from '../values.ts'

export type Unread = { readonly file: string; readonly sentence: string }

export type Input = {
  readonly files: ReadonlyMap<string, SourceFile>
  /** An object's number is its place in this list. */
  readonly objects: readonly SourceObject[]
  readonly facts: Facts
  readonly unread: readonly Unread[]
}

export function decodeInput(given: readonly SourceFile[]): Input {
  const files = withoutCharts(given)
  const decoded = decodeFiles(files)
  const objects = decoded.flatMap((file) => file.objects)
  // The readers of the tools say themselves which values of a release are elsewhere.
  const skipped = decoded.flatMap(({ file, skipped: parts }) =>
    namesArc.test(file.text)
      ? parts.filter(({ intended, reason }) => !intended && !reason.startsWith('the Helm release '))
      : [],
  )
  return {
    files: new Map(files.map((file) => [file.path, file])),
    objects,
    facts: gatherFacts(objects),
    unread: skipped.map(({ file, line, reason }) => ({
      file: line === undefined ? file : `${file}:${line}`,
      sentence: `It is not read: ${reason}.`,
    })),
  }
}

/** A file without these words has nothing for the import. */
const namesArc = /gha-runner-scale-set|githubConfigUrl|actions\.github\.com\/|actions\.summerwind\./

/** Leaves out copies of ARC's own charts: their templates, their tests, and values that nobody has filled in. */
function withoutCharts(files: readonly SourceFile[]): readonly SourceFile[] {
  const charts = files
    .filter(
      ({ path, text }) =>
        /(^|\/)Chart\.yaml$/.test(path) &&
        /^name:[ \t]*["']?gha-runner-scale-set(-controller)?["']?[ \t]*$/m.test(text),
    )
    .map(({ path }) => path.slice(0, -'Chart.yaml'.length))
  const isOwn = ({ path, text }: SourceFile) =>
    charts.some((chart) => {
      const inside = path.startsWith(chart) ? path.slice(chart.length) : ''
      return (
        /^(templates|tests|ci)\//.test(inside) ||
        (inside === 'values.yaml' && /^githubConfigUrl:[ \t]*(""|'')?[ \t]*$/m.test(text))
      )
    })
  return files.filter((file) => !isOwn(file))
}

/** Returns the values at a path of an object, as they are written. */
export function valuesIn(object: SourceObject, path: Path): Values | undefined {
  const { value, computed } = writtenValue(object.document, [...object.path, ...path], valueAt(object.value, ...path))
  if (!isJsonObject(value)) return undefined
  const base = [...hostPath(object.document), ...object.path, ...path]
  return valuesAt(object.document.file.path, base, value, [...computed, ...substitutions(value)])
}

/** Whether an object of a document is at or below a path of another one. */
export function isBelow(one: SourceObject, object: SourceObject, path: Path): boolean {
  const top = [...object.path, ...path]
  return one.document === object.document && showPath(one.path.slice(0, top.length)) === showPath(top)
}

/** Notes that conditions of a template choose parts of the object, or of the text at a path of it. */
export function branchNotes({ document, path }: SourceObject, below: Path = []): readonly Line[] {
  const [from, , to] = findNode(document.nodes(), [...path, ...below]).node?.range ?? []
  const isInside = (at: number) =>
    below.length === 0 ||
    (from !== undefined && to !== undefined && at >= document.toFile(from) && at < document.toFile(to))
  if (!document.markers().some(({ role, start }) => role === 'open' && isInside(start))) return []
  const sentence =
    'Conditions of a template choose some parts, and the import does not evaluate them. Render the template, and import its result.'
  const place = showPath([...hostPath(document), ...path, ...below])
  return [{ file: document.file.path, path: place || 'metadata.name', is: 'decide', sentence }]
}

/** Returns the path of the string that holds a document. Empty for a document of the file. */
function hostPath({ host }: SourceDocument): Path {
  return host ? [...hostPath(host.document), ...host.path] : []
}

/** Reads a whole values file. Helm reads one document. `isTemplate`: Terraform fills in `${…}`. */
export function readValuesFile(file: SourceFile, isTemplate = false): Values | string {
  return readValues(file, [], isTemplate)
}

/** Reads the values in a string of an object, which may hold markers of a template. */
export function valuesInText(object: SourceObject, path: Path): Values | undefined {
  const text = valueAt(object.value, ...path)
  if (typeof text !== 'string') return undefined
  const { value } = writtenValue(object.document, [...object.path, ...path], text)
  const base = [...hostPath(object.document), ...object.path, ...path]
  const read = readValues({ path: object.document.file.path, text: String(value) }, base, false)
  return typeof read === 'string' ? undefined : read
}

/** @param base the path of the text in its file */
export function readValues(file: SourceFile, base: Path, isTemplate: boolean): Values | string {
  const [span, more] = splitDocuments(file.text).filter(({ start, end }) => /\S/.test(textOf(file, start, end)))
  if (more) return 'It has several documents, and a values file has one.'
  if (!span) return valuesAt(file.path, base, {})
  const { start, end } = span
  const { text, parsed } = parseTemplate(
    file.text.slice(start, end),
    isTemplate || hasDollarMarkers(file.path, file.text),
  )
  if ('failed' in parsed) return `It is ${parsed.failed}.`
  if (parsed.value === null || parsed.value === undefined) return valuesAt(file.path, base, {})
  const document = { file, text, nodes: parsed.nodes, toFile: (offset: number) => start + offset }
  return writtenValues(document, parsed.value, base) ?? 'It is no map of values.'
}

/** Returns the whole value of a document; undefined if it is no map. */
export function writtenValues(
  document: Parameters<typeof writtenValue>[0],
  given: unknown,
  base: Path,
): Values | undefined {
  const { value, computed } = writtenValue(document, [], given)
  if (!isJsonObject(value)) return undefined
  return valuesAt(document.file.path, base, value, [...computed, ...substitutions(value)])
}

function textOf({ text }: SourceFile, start: number, end: number): string {
  return text
    .slice(start, end)
    .replace(/^(---|\.\.\.)/, '')
    .replace(/^\s*#.*$/gm, '')
}

/** Returns the paths of texts that Flux, Zarf or another tool fills in: `${DOMAIN}`, `###DOMAIN###`. A command of a container has variables of its own. */
function substitutions(root: JsonObject): readonly Path[] {
  const found: Path[] = []
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string' && /\$\{[A-Za-z_]\w*\}|\{\{|###[A-Z]\w*###/.test(value)) found.push(path)
    else if (Array.isArray(value)) for (const [index, entry] of value.entries()) visit(entry, [...path, index])
    else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) if (!/^(command|args|exec)$/.test(key)) visit(value[key], [...path, key])
    }
  }
  visit(root, [])
  return found
}

/** Returns the file that another one names by a relative path. */
export function fileBeside({ files }: Input, from: string, path: string): SourceFile | undefined {
  const parts = from.split('/').slice(0, -1)
  for (const step of path.split('/')) {
    if (step === '..') parts.pop()
    else if (step !== '.' && step !== '') parts.push(step)
  }
  return files.get(parts.join('/')) ?? files.get(`/${parts.join('/')}`)
}

/** Returns the file whose path ends so. Undefined if several do. */
export function fileEndingIn({ files }: Input, path: string): SourceFile | undefined {
  const end = path.replace(/^(\.{0,2}\/)+/, '')
  const found = [...files.values()].filter((file) => file.path === end || file.path.endsWith(`/${end}`))
  return found.length === 1 ? found[0] : undefined
}
