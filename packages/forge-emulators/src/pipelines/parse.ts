// Reads one pipeline of a bitbucket-pipelines.yml into a plain `Pipeline`.
// Sections: https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/
import { pipelinesKind } from '../source/kind.ts'
import { type Path, problemAt, refuseProblems } from '../source/locate.ts'
import { readSource, type Source } from '../source/source.ts'
import { mapping, type Reading, readLimits, refuseOthers, showImage, startReading } from './fields.ts'
import { type Pipeline, sections } from './pipeline.ts'
import { readItems, stepsMax } from './steps.ts'

/** Reads and checks a file. Throws a `SourceError` with file, line, column, a sentence and a next step. */
export async function readPipeline(file: string, selector = 'default'): Promise<Pipeline> {
  return parsePipeline(await readSource(file, pipelinesKind), selector)
}

/** Reads a source. Only the selected pipeline is checked, with what the whole file shares. Throws like `readPipeline`. */
export function parsePipeline(source: Source, selector = 'default'): Pipeline {
  const reading = startReading()
  const root = plainValue(source, reading)
  refuseOthers(reading, root, [], ['image', 'options', 'definitions', 'pipelines'])
  showImage(reading, root, [])
  refuseOthers(reading, mapping(root['definitions']), ['definitions'], ['steps'])
  const options = mapping(root['options'])
  refuseOthers(reading, options, ['options'], ['max-time', 'size'])
  const limits = readLimits(reading, options, ['options'], { maxTimeMinutes: 120 })
  const all = mapping(root['pipelines'])
  refuseOthers(reading, all, ['pipelines'], ['default', ...sections])
  const found = find(all, selector)
  const groups = found ? readItems(reading, found.items, found.path, limits) : []
  const count = groups.reduce((sum, { steps }) => sum + steps.length, 0)
  if (!found) refuseSelector(reading, all, selector)
  else if (count > stepsMax) {
    const sentence = `The pipeline has ${count} steps, and a pipeline has at most ${stepsMax}.`
    reading.invalid(found.path, sentence, 'Split the pipeline, or join steps.')
  }
  refuseProblems(reading.problems.map(({ code, ...problem }) => problemAt(source, code, problem)))
  return { file: source.file, selector, groups, notes: [...reading.notes] }
}

/** Returns the file's value. The parser throws if `<<` names anything but a mapping. */
function plainValue({ document }: Source, reading: Reading): Readonly<Record<string, unknown>> {
  try {
    const root: unknown = document.toJS({ maxAliasCount: -1 })
    if (Object.keys(mapping(mapping(root)['pipelines'])).length > 0) return mapping(root)
    reading.invalid(['pipelines'], 'The file has no pipelines.', 'Add `pipelines:` with `default:` and its steps.')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    reading.invalid([], `An alias cannot be merged: ${why}.`, 'Use `<<` only with an alias of a mapping.')
  }
  return {}
}

/** Finds a pipeline by its selector. The key is the text after the first slash, exactly as in the file. */
function find(all: Readonly<Record<string, unknown>>, selector: string): { items: unknown; path: Path } | undefined {
  const slash = selector.indexOf('/')
  const [section, key] = slash < 0 ? [selector, ''] : [selector.slice(0, slash), selector.slice(slash + 1)]
  if (section === 'default') {
    return Object.hasOwn(all, section) && slash < 0 ? { items: all[section], path: ['pipelines', section] } : undefined
  }
  if (!sections.some((name) => name === section)) return undefined
  const keyed = mapping(all[section])
  return Object.hasOwn(keyed, key) ? { items: keyed[key], path: ['pipelines', section, key] } : undefined
}

function refuseSelector(reading: Reading, all: Readonly<Record<string, unknown>>, selector: string): void {
  if (reading.problems.length > 0) return
  const keyed = sections.flatMap((section) => Object.keys(mapping(all[section])).map((key) => `${section}/${key}`))
  const known = [...(Object.hasOwn(all, 'default') ? ['default'] : []), ...keyed]
  const shown = known.slice(0, 10).join(', ') || 'none'
  const sentence = `The file has no pipeline ${selector.slice(0, 100)}. It has: ${shown}.`
  reading.invalid(['pipelines'], sentence, 'Choose one of these pipelines.')
}
