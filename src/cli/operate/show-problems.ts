// Prints problems: the reason, its sentence, what was observed, the next step.
import type { Problem } from '../../operate/problems.ts'
import { wrap } from './table.ts'

export function problemLines(problems: readonly Problem[], width: number): readonly string[] {
  return problems.flatMap(({ reason, sentence, detail, next }) => [
    ...wrap(`${reason}: ${sentence}`, '  ', width),
    ...wrap(detail, '    ', width),
    ...wrap(next, '    next: ', width),
  ])
}
