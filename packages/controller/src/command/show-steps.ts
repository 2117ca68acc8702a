// The text and the JSON of a plan whose steps an operator confirms.
import { wrap } from '@dayfly/command-line/table'
import { counted } from '@dayfly/kit/age-text'
import type { Outcome, StepResult } from '../operate/step-result.ts'

export type Step = { readonly does: string; readonly because?: string }

export type StepPlan<S extends Step> = {
  readonly steps: readonly S[]
  /** Objects that stay, each with the reason. */
  readonly untouched: readonly { readonly what: string; readonly because: string }[]
  /** Parts that could not be read, each a sentence. */
  readonly unknown?: readonly string[]
  readonly digest: string
}

/** The words in which two plans differ. */
export type Wording<S extends Step> = {
  readonly describe: (step: S) => string
  /** The sentence for a plan without steps and without objects that stay. */
  readonly nothing: string
  /** The title of the objects that stay. */
  readonly untouched: string
}

export function planLines<S extends Step>(plan: StepPlan<S>, wording: Wording<S>, width: number): readonly string[] {
  const { steps, untouched, unknown = [], digest } = plan
  const numbered = steps.flatMap((step, index) => [
    ...wrap(wording.describe(step), `${String(index + 1).padStart(4)}. `, width),
    ...(step.because === undefined ? [] : wrap(step.because, '      because ', width)),
  ])
  const kept = untouched.flatMap(({ what, because }) => wrap(`${what}: ${because}`, '  - ', width))
  return [
    ...(steps.length === 0 && kept.length === 0 ? [wording.nothing] : []),
    ...(steps.length > 0 ? [`Plan ${digest}, ${counted(steps.length, 'step')}:`, ...numbered] : []),
    ...(kept.length > 0 ? [wording.untouched, ...kept] : []),
    ...(unknown.length > 0 ? ['Not looked at:', ...unknown.flatMap((sentence) => wrap(sentence, '  - ', width))] : []),
    ...(steps.length > 0
      ? ['', `Nothing is done yet. To carry out exactly this plan, run the same command with --confirm ${digest}`]
      : []),
  ]
}

const words: Readonly<Record<Outcome['is'], string>> = {
  done: 'done',
  kept: 'not done',
  unknown: 'not known',
  skipped: 'not begun',
}

export function resultLine<S extends Step>({ step, is, why }: StepResult<S>, { describe }: Wording<S>): string {
  return `  ${words[is]}: ${describe(step)} (${why})`
}

/** `results`: one for each step of a plan that was carried out. */
export function planJson<S extends Step>(
  { steps, untouched, unknown, digest }: StepPlan<S>,
  { describe }: Wording<S>,
  results: readonly StepResult<S>[] | undefined,
): object {
  return {
    digest,
    steps: steps.map((step, index) => ({
      does: step.does,
      sentence: describe(step),
      because: step.because,
      result: results?.[index]?.is ?? null,
      why: results?.[index]?.why ?? null,
    })),
    untouched,
    unknown,
  }
}
