// The text of one incident: what is seen, why, and what ends it.
import { wrap } from '@dayfly/command-line/table'
import type { Evidence, Part } from '../../lab/evidence.ts'
import type { Incident } from '../../lab/incident.ts'
import type { LabResult } from '../../lab/lab.ts'

const headings: Readonly<Record<Part, string>> = {
  incident: 'The incident',
  'wrong remedy': 'Remedies that do not help',
  remedy: 'The remedy',
}

export function openingLines({ id, code, title }: Incident, profile: string, columns: number): readonly string[] {
  return wrap(`${title}.`, `${id} (${code}) on Kubernetes ${profile}: `, columns)
}

/** @param before the part of the evidence before this one */
export function evidenceLines(entry: Evidence, before: Part | undefined, columns: number): readonly string[] {
  const { part, claim, holds, after, command, output } = entry
  const heading = part === before ? [] : ['', `${headings[part]}:`]
  const mark = holds ? '[seen]    ' : '[NOT SEEN]'
  return [
    ...heading,
    '',
    ...wrap(`${claim} (${after} after the start)`, `  ${mark} `, columns),
    `    $ ${command}`,
    ...output.map((line) => `    ${line}`),
  ]
}

export function explanationLines({ why, models, sources }: Incident, columns: number): readonly string[] {
  return [
    '',
    'Why:',
    ...why.flatMap((sentence) => wrap(sentence, '  - ', columns)),
    '',
    'What is modelled here:',
    ...models.flatMap((sentence) => wrap(sentence, '  - ', columns)),
    '',
    'Sources:',
    ...sources.map((source) => `  ${source}`),
  ]
}

export function verdictLine({ reproduced, cured, evidence }: LabResult): string {
  const seen = evidence.filter(({ holds }) => holds).length
  const word = (is: boolean) => (is ? 'yes' : 'NO')
  return `Reproduced: ${word(reproduced)}. Cured: ${word(cured)}. ${seen} of ${evidence.length} observations are as expected.`
}
