// The text and the JSON of `dayfly plan`.
import { wrap } from '@dayfly/command-line/table'
import type { Judged } from '../operate/overview.ts'
import type { SetPlan } from '../operate/plan.ts'
import { problemLines } from './show-problems.ts'

export type Planned = {
  readonly judged: Judged
  /** Undefined for a set whose spec is not valid. */
  readonly plan: SetPlan | undefined
  /** Whether the forge answered; undefined if it was not asked. */
  readonly forge: boolean | undefined
}

/** @param scope the one namespace that was read; undefined for all */
export function planLines(plans: readonly Planned[], scope: string | undefined, width: number): readonly string[] {
  if (plans.length === 0) {
    return [
      `There is no RunnerSet in ${scope === undefined ? 'this cluster' : `the namespace ${scope}; -A shows all`}.`,
    ]
  }
  return plans.flatMap((planned, index) => [...(index === 0 ? [] : ['']), ...setLines(planned, width)])
}

function setLines({ judged, plan }: Planned, width: number): readonly string[] {
  const { view, problems } = judged
  const title = `${view.namespace}/${view.name}`
  if (!plan) return [title, ...problemLines(problems, width)]
  return [...wrap(countsText(plan, judged), `${title}  `, width), ...stepLines(plan, judged, width)]
}

/** The counts and the steps of one set, without its name. */
export function planOfOneLines(plan: SetPlan, judged: Judged, width: number): readonly string[] {
  return [...wrap(countsText(plan, judged), 'Now: ', width), ...stepLines(plan, judged, width)]
}

function stepLines(plan: SetPlan, { work }: Judged, width: number): readonly string[] {
  const idle = work.is === 'no-leader' ? wrap(`Nobody acts on this plan: ${work.sentence}`, '  ! ', width) : []
  return [
    ...idle,
    ...plan.steps.flatMap(({ sentence }) => wrap(sentence, '  • ', width)),
    ...(plan.unknown.length > 0 ? ['  not known here:'] : []),
    ...plan.unknown.flatMap((sentence) => wrap(sentence, '    - ', width)),
  ]
}

function countsText({ demand, wanted, min, minReason, usual, counts }: SetPlan, { view }: Judged): string {
  const { max } = view.set?.scale ?? { max: 0 }
  const least = minReason === undefined ? `min ${min}` : `min ${min} (${minReason})`
  const habit = usual ? `, usually ${usual.runners ?? '?'} (${usual.reason})` : ''
  const { starting, idle, busy, spent, ended } = counts
  const running = idle + busy
  const more = [spent > 0 ? `${spent} ending` : '', ended > 0 ? `${ended} ended` : ''].filter(Boolean).join(', ')
  const live = `${starting} starting, ${running} running${busy > 0 ? ` (${busy} with a job)` : ''}${more ? `, ${more}` : ''}`
  return `demand ${demand ?? '?'}, ${least}${habit}, max ${max}: ${wanted ?? '?'} wanted; ${live}`
}

export function planJson({ judged, plan, forge }: Planned): object {
  const { view, work, problems } = judged
  const { namespace, name } = view
  if (!plan) return { namespace, name, controller: work.is, problems, steps: null }
  const { demand, wanted, min, minReason, usual, counts, why, steps, unknown } = plan
  const from = demand === undefined ? null : forge ? 'forge' : 'status'
  return {
    namespace,
    name,
    controller: work.is,
    paused: view.paused,
    demand: demand ?? null,
    demandFrom: from,
    wanted: wanted ?? null,
    min,
    minReason: minReason ?? null,
    usual: usual ?? null,
    counts,
    why: why ?? null,
    steps,
    unknown,
  }
}
