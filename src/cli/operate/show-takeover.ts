// The text and the JSON of `dayfly takeover`.
import { counted } from '../../operate/ages.ts'
import { describeTakeover, type TakeoverPlan, type TakeoverResult } from '../../operate/takeover/step.ts'
import { wrap } from './table.ts'

export function takeoverLines({ steps, untouched, digest }: TakeoverPlan, width: number): readonly string[] {
  const numbered = steps.flatMap((step, index) =>
    wrap(describeTakeover(step), `${String(index + 1).padStart(4)}. `, width),
  )
  const kept = untouched.flatMap(({ what, because }) => wrap(`${what}: ${because}`, '  - ', width))
  return [
    ...(steps.length === 0 ? ['The old autoscaler does not run, and nothing of it is left.'] : []),
    ...(steps.length > 0 ? [`Plan ${digest}, ${counted(steps.length, 'step')}:`, ...numbered] : []),
    ...(kept.length > 0 ? ['Not touched:', ...kept] : []),
    ...(steps.length > 0
      ? ['', `Nothing is done yet. To carry out exactly this plan, run the same command with --confirm ${digest}`]
      : []),
  ]
}

export function takeoverResultLine({ step, is, why }: TakeoverResult): string {
  const words = { done: 'done', kept: 'not done', unknown: 'not known', skipped: 'not begun' } as const
  return `  ${words[is]}: ${describeTakeover(step)} (${why})`
}

/** `results`: one for each step of a plan that was carried out. */
export function takeoverJson(plan: TakeoverPlan, results: readonly TakeoverResult[] | undefined): object {
  const { steps, untouched, digest } = plan
  return {
    digest,
    steps: steps.map((step, index) => ({
      does: step.does,
      sentence: describeTakeover(step),
      result: results?.[index]?.is ?? null,
      why: results?.[index]?.why ?? null,
    })),
    untouched,
  }
}
