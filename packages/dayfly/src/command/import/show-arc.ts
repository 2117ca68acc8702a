// The text and the JSON of `dayfly import arc`: the report by path, the Secrets to create, and what comes next.
import { wrap } from '@dayfly/command-line/table'
import { inNamespace, type WantedSecret } from '../../migrate/arc/convert/context.ts'
import type { ImportedSet, ImportResult } from '../../migrate/arc/import.ts'
import { leftOutOfValues, type OutputDocument, twins } from '../../migrate/arc/output.ts'
import { shortened } from '../../migrate/shorten.ts'
import { shellWord } from './shell-word.ts'

type Shown = {
  /** The folder with the output. Undefined: the operator has put it into a file. */
  readonly folder: string | undefined
  readonly form: 'runner-sets' | 'values'
  readonly documents: readonly OutputDocument[]
}

export function reportLines(result: ImportResult, shown: Shown, width: number): readonly string[] {
  const { sets, lines, unread } = result
  const all = [...sets.flatMap((set) => set.lines), ...lines]
  const chapters = sets.flatMap((set) => ['', `${titleOf(set)}:`, ...lineTexts(set.lines, width)])
  const rest = lines.length > 0 ? ['', 'No RunnerSet was made of these:', ...lineTexts(lines, width, true)] : []
  const skipped = unread.flatMap(({ file, sentence }) => wrap(`${file}: ${sentence}`, '  unread   ', width))
  return [
    `${sets.length} RunnerSet${sets.length === 1 ? '' : 's'}: ${countsOf(all)}`,
    ...chapters,
    ...rest,
    ...(skipped.length > 0 ? ['', 'Not read:', ...skipped] : []),
    ...secretTexts(sets, width),
    '',
    'Next:',
    ...nextSteps(result, shown).flatMap((text, index) => wrap(text, `  ${index + 1}. `, width)),
  ]
}

function titleOf({ document, source }: ImportedSet): string {
  const { name, namespace } = document.metadata
  const at = source.at === '' ? '' : `, ${source.at}`
  return `The set ${namespace === undefined ? '' : `${namespace}/`}${name}, from the ${source.form} in ${source.file}${at}`
}

/** @param namesFile whether each line names its file: the title of a set names the only one. */
function lineTexts(
  lines: ImportedSet['lines'],
  width: number,
  namesFile = new Set(lines.map(({ file }) => file)).size > 1,
): readonly string[] {
  return shortened(lines, lines).flatMap(({ file, path, is, sentence }) => {
    const parts = [...(namesFile ? [file] : []), ...(path === '' ? [] : [path]), sentence]
    return wrap(parts.join(': '), `  ${is.padEnd(8)} `, width)
  })
}

function countsOf(lines: ImportedSet['lines']): string {
  return (['kept', 'changed', 'dropped', 'decide'] as const)
    .map((is) => `${lines.filter((line) => line.is === is).length} ${is === 'decide' ? 'to decide' : is}`)
    .join(', ')
}

function secretTexts(sets: readonly ImportedSet[], width: number): readonly string[] {
  const wanted = sets.flatMap(({ document, secrets }) =>
    secrets.map((secret) => ({ secret, namespace: document.metadata.namespace })),
  )
  if (wanted.length === 0) return []
  const texts = wanted.flatMap(({ secret, namespace }) => [
    ...wrap(`${secret.name}: ${secret.why}`, '  ', width),
    `    ${commandOf(secret, namespace)}`,
  ])
  return ['', 'Secrets to create first. FILE has the value alone, and ID is a number:', ...new Set(texts)]
}

function commandOf({ name, from }: WantedSecret, namespace: string | undefined): string {
  if ('command' in from) return from.command
  return `kubectl create secret generic ${name}${inNamespace({ namespace })} ${from.options.join(' ')}`
}

function nextSteps({ sets, lines }: ImportResult, { folder, form, documents }: Shown): readonly string[] {
  const files = folder ?? 'sets.yaml'
  const same = twins(sets)
  const isOpen = [...sets.flatMap((set) => set.lines), ...lines].some(({ is }) => is === 'decide')
  const doubles = `${same.join(', ')}: several sets have this name and namespace. Import each cluster on its own.`
  const check = `kubectl apply --dry-run=server -f ${shellWord(files)}`
  const lost = form === 'values' ? leftOutOfValues(sets) : []
  const named = folder === undefined ? [files] : documents.map(({ file }) => `${folder}/${file}`)
  const render = named.map((file) => `helm template runners deploy/chart-runner-set -f ${shellWord(file)}`)
  return [
    ...(same.length > 0 ? [doubles] : []),
    ...(isOpen ? ['Decide the lines marked decide, and edit the output.'] : []),
    ...(lost.length > 0
      ? [`The chart gives all its sets the same labels and annotations. These are left out: ${lost.join(', ')}.`]
      : []),
    form === 'values'
      ? `Look at the result: ${render.join(' && ')}`
      : `Let the API server check the RunnerSets, which changes nothing: ${check}`,
    "Apply the RunnerSets. While ARC's set exists, they wait for its scale set: dayfly takeover arc gives it to them, with the jobs in it.",
  ]
}

export function importJson(result: ImportResult, shown: Shown): object {
  return {
    sets: result.sets.map(({ document, source, lines, secrets }) => ({
      source,
      document,
      report: lines,
      secrets: secrets.map((secret) => ({
        name: secret.name,
        why: secret.why,
        command: commandOf(secret, document.metadata.namespace),
      })),
    })),
    ...(shown.form === 'values' ? { values: shown.documents } : {}),
    report: result.lines,
    unread: result.unread,
    next: nextSteps(result, shown),
  }
}
