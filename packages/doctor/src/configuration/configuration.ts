// Reads the text of `.dayfly-doctor.yaml`. Every problem has its place.
import { type Path, valueAt } from '@dayfly/kit/read-json'
import { isScalar, parseDocument, type Document as YamlDocument } from 'yaml'
import { findNode } from '../read/yaml/nodes.ts'
import { indexLines } from '../read/yaml/place.ts'
import { type ConfigurationShape, configurationShape } from './shape.ts'

export type Configuration = ConfigurationShape

export type ConfigurationProblem = {
  readonly line: number
  readonly column: number
  readonly sentence: string
  /** An unknown word, and the words that are known in its place. */
  readonly unknown?: { readonly typed: string; readonly choices: readonly string[] }
}

type Read = { readonly configuration: Configuration } | { readonly problems: readonly ConfigurationProblem[] }
type Issue = Extract<
  ReturnType<ReturnType<typeof configurationShape>['safeParse']>,
  { success: false }
>['error']['issues'][number]

const lettersMax = 256 * 1024

/** `names`: the codes, slugs and families of the rules. */
export function readConfiguration(text: string, names: readonly string[]): Read {
  if (text.length > lettersMax) return oneProblem(`it is larger than ${lettersMax / 1024} KiB`)
  const parsed = parse(text)
  if ('problems' in parsed) return parsed
  const { document, value } = parsed
  const shape = configurationShape(names)
  // An empty file, and a file of comments, set nothing.
  const checked = shape.safeParse(value ?? {})
  if (checked.success) return { configuration: checked.data }
  const lines = indexLines(text)
  const at = (path: Path) => {
    const { node, key } = findNode(document, path)
    return lines((isScalar(key) ? key : node)?.range?.[0] ?? 0)
  }
  return {
    problems: checked.error.issues.flatMap((issue) =>
      problemsOf(issue, { value, topKeys: Object.keys(shape.shape), names, at }),
    ),
  }
}

function parse(
  text: string,
): { readonly document: YamlDocument; readonly value: unknown } | Exclude<Read, { configuration: unknown }> {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
    const [error] = document.errors
    if (error)
      return { problems: [{ ...indexLines(text)(error.pos[0]), sentence: `not valid YAML: ${error.message}` }] }
    return { document, value: document.toJS() }
  } catch (error) {
    return oneProblem(`not valid YAML: ${error instanceof Error ? error.message : 'unknown cause'}`)
  }
}

function oneProblem(sentence: string): { readonly problems: readonly ConfigurationProblem[] } {
  return { problems: [{ line: 1, column: 1, sentence }] }
}

type At = (path: Path) => { readonly line: number; readonly column: number }

type Reading = {
  readonly value: unknown
  readonly topKeys: readonly string[]
  readonly names: readonly string[]
  readonly at: At
}

function problemsOf(issue: Issue, { value, topKeys, names, at }: Reading): readonly ConfigurationProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const isRule = path.at(-1) === 'severity'
    const choices = isRule ? names : path.length === 0 ? topKeys : (nestedKeys[String(path[0])] ?? [])
    return issue.keys.map((typed) =>
      unknownWord(at([...path, typed]), isRule ? 'rule' : 'key', path, { typed, choices }),
    )
  }
  const input = valueAt(value, ...path)
  if (issue.code === 'invalid_value' && typeof input === 'string') {
    return [unknownWord(at(path), 'value', path, { typed: input, choices: issue.values.map(String) })]
  }
  const name = path.length === 0 ? 'the file' : pathText(path)
  return [
    { ...at(path), sentence: `${name} ${issue.code === 'invalid_type' ? typeMismatch(issue, input) : issue.message}` },
  ]
}

const nestedKeys: Readonly<Record<string, readonly string[]>> = {
  overrides: ['paths', 'ignore', 'severity'],
  clusters: ['name', 'paths', 'kubernetesVersion'],
}

function unknownWord(
  at: { readonly line: number; readonly column: number },
  what: 'key' | 'rule' | 'value',
  path: Path,
  unknown: { readonly typed: string; readonly choices: readonly string[] },
): ConfigurationProblem {
  const where = path.length === 0 ? '' : ` in ${pathText(path)}`
  return { ...at, sentence: `the ${what} "${unknown.typed.slice(0, 80)}"${where} is not known`, unknown }
}

function typeMismatch(issue: Extract<Issue, { code: 'invalid_type' }>, input: unknown): string {
  // A message of the shape is its own sentence; the library's begins with "Invalid".
  if (!issue.message.startsWith('Invalid')) return issue.message
  const expected = { array: 'a list', object: 'a mapping', record: 'a mapping', string: 'a text' }[
    String(issue.expected)
  ]
  return input === undefined ? 'is missing' : `must be ${expected ?? issue.expected}`
}

/** Returns `overrides[0].paths`. */
function pathText(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')
}
