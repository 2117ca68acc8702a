// Prints problems: the reason, its sentence, what was observed, the next step.
import { wrap } from '@dayfly/command-line/table'
import type { Problem } from '../operate/problems.ts'

export function problemLines(problems: readonly Problem[], width: number): readonly string[] {
  return problems.flatMap(({ reason, sentence, detail, next }) => [
    ...wrap(`${reason}: ${sentence}`, '  ', width),
    ...wrap(detail, '    ', width),
    ...wrap(next, '    next: ', width),
  ])
}
