// The text and the JSON of `dayfly sweep`.
import { counted } from '../../operate/ages.ts'
import type { SweepResult } from '../../operate/sweep/perform.ts'
import { describeStep, type SweepPlan } from '../../operate/sweep/step.ts'
import { wrap } from './table.ts'

export function sweepLines({ steps, untouched, unknown, digest }: SweepPlan, width: number): readonly string[] {
  const numbered = steps.flatMap((step, index) => [
    ...wrap(describeStep(step), `${String(index + 1).padStart(4)}. `, width),
    ...wrap(step.because, '      because ', width),
  ])
  const kept = untouched.flatMap(({ what, because }) => wrap(`${what}: ${because}`, '  - ', width))
  const nothing = steps.length === 0 && untouched.length === 0
  return [
    ...(nothing ? ['Nothing is left over.'] : []),
    ...(steps.length > 0 ? [`Plan ${digest}, ${counted(steps.length, 'step')}:`, ...numbered] : []),
    ...(kept.length > 0 ? ['Left over and not touched:', ...kept] : []),
    ...(unknown.length > 0 ? ['Not looked at:', ...unknown.flatMap((sentence) => wrap(sentence, '  - ', width))] : []),
    ...(steps.length > 0
      ? ['', `Nothing is done yet. To carry out exactly this plan, run the same command with --confirm ${digest}`]
      : []),
  ]
}

export function resultLine({ step, is, why }: SweepResult): string {
  const words = { done: 'done', kept: 'not done', unknown: 'not known', skipped: 'not begun' } as const
  return `  ${words[is]}: ${describeStep(step)} (${why})`
}

/** `results`: one for each step of a plan that was carried out. */
export function sweepJson(plan: SweepPlan, results: readonly SweepResult[] | undefined): object {
  const { steps, untouched, unknown, digest } = plan
  return {
    digest,
    steps: steps.map((step, index) => ({
      does: step.does,
      sentence: describeStep(step),
      because: step.because,
      result: results?.[index]?.is ?? null,
      why: results?.[index]?.why ?? null,
    })),
    untouched,
    unknown,
  }
}
