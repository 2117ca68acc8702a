// The text and the JSON of `dayfly import`: the report by path, the warnings and the plan of the takeover.
import { wrap } from '@dayfly/command-line/table'
import type { ImportResult } from '../../migrate/bitbucket-autoscaler/import.ts'
import { chaptersOf } from '../../migrate/bitbucket-autoscaler/report.ts'
import { type TakeoverStep, takeoverPlan, wayBack } from '../../migrate/bitbucket-autoscaler/takeover.ts'
import { shellWord } from './shell-word.ts'

type Imported = Extract<ImportResult, { readonly ok: true }>

/** @param files the folder or file with the RunnerSets */
export function reportLines({ sets, lines, warnings }: Imported, files: string, width: number): readonly string[] {
  const documents = sets.map(({ document }) => document)
  const chapters = chaptersOf(sets, lines).flatMap((chapter) => [
    '',
    `${chapter.title}:`,
    ...chapter.lines.flatMap(({ is, path, sentence }) => wrap(`${path}: ${sentence}`, `  ${is.padEnd(8)}`, width)),
  ])
  const warned = warnings.flatMap(({ path, sentence }) => wrap(`${path}: ${sentence}`, '  warning ', width))
  return [
    `${sets.length} RunnerSet${sets.length === 1 ? '' : 's'}: ${documents.map(({ metadata }) => metadata.name).join(', ')}`,
    ...warned,
    ...chapters,
    '',
    'Plan of the takeover. Nothing is done yet:',
    ...stepLines(takeoverPlan(documents, shellWord(files)), width),
    '',
    'The way back:',
    ...stepLines(wayBack(documents), width),
  ]
}

function stepLines(steps: readonly TakeoverStep[], width: number): readonly string[] {
  return steps.flatMap(({ title, why, commands }, index) => [
    ...wrap(`${title}. ${why}`, `${String(index + 1).padStart(3)}. `, width),
    ...commands.map((command) => `       ${command}`),
  ])
}

export function importJson({ sets, lines, warnings }: Imported, files: string): object {
  const documents = sets.map(({ document }) => document)
  return {
    sets: sets.map(({ document, group, lines: own }) => ({ group, document, report: own })),
    report: lines,
    warnings,
    plan: takeoverPlan(documents, shellWord(files)),
    wayBack: wayBack(documents),
  }
}
