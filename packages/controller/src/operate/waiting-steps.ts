// The runners that something holds up, and until when the controller waits for each.

import { ageText, counted } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { startCause, startDeadline } from '@dayfly/runner-set/core/life'
import { phaseOf } from '@dayfly/runner-set/core/phase'
import type { SetState } from '@dayfly/runner-set/core/state/set-state'
import type { FailureReason, StartCause } from '@dayfly/runner-set/model/failure'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { PodFacts, Runner } from '@dayfly/runner-set/model/runner'
import type { PlanStep } from './plan-step.ts'

/** Returns one wait for each cause, not for each runner: runners of one template mostly share it. */
export function waitingSteps(
  { table, set }: Pick<SetState, 'table' | 'set'>,
  limits: Limits,
  now: Instant,
): readonly PlanStep[] {
  const starting = new Map<FailureReason, HeldStart[]>()
  let kept = 0
  let removed = 0
  for (const runner of table.all()) {
    const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
    if (!pod) continue
    if (pod.deletionDeadline !== undefined) removed++
    else if (pod.end) kept++
    else if (phaseOf(runner) === 'starting') {
      const cause = startCause(runner, pod)
      starting.set(cause.reason, [...(starting.get(cause.reason) ?? []), { runner, pod, cause }])
    }
  }
  const waiting = [...starting.values()].flatMap((held) => startWait(held, { limits, now, startMaxMs: set.startMaxMs }))
  const keeps = `Keeps ${counted(kept, 'ended pod')} for debugging (keepFailed ${ageText(set.keepFailedMs)}, keepFinished ${ageText(set.keepFinishedMs)}), unless the steps above delete them.`
  return [
    ...waiting,
    ...(removed > 0
      ? [{ does: 'wait', sentence: `Waits until ${counted(removed, 'pod')} under deletion are gone.` } as const]
      : []),
    ...(kept > 0 ? [{ does: 'wait', sentence: keeps } as const] : []),
  ]
}

type HeldStart = { readonly runner: Runner; readonly pod: PodFacts; readonly cause: StartCause }

type WaitMoment = { readonly limits: Limits; readonly now: Instant; readonly startMaxMs: number }

function startWait(held: readonly HeldStart[], { limits, now, startMaxMs }: WaitMoment): readonly PlanStep[] {
  const [first] = [...held].sort((left, right) => left.cause.since - right.cause.since)
  if (!first) return []
  const { runner, pod, cause } = first
  const many = counted(held.length, 'starting runner')
  if (cause.reason === 'start-unexplained' && now - pod.progressedAt < limits.explainMs) {
    return [{ does: 'wait', sentence: `Waits for ${many}: nothing holds ${held.length === 1 ? 'it' : 'them'} up yet.` }]
  }
  const which = held.length === 1 ? runner.name : `${many}, such as ${runner.name}`
  const since = ageText(now - cause.since)
  const sentence = `Waits for ${which}: ${cause.reason} for ${since} (${cause.message}). ${giveUpText(startDeadline(cause, pod, startMaxMs), now)}`
  return [{ does: 'wait', runner: runner.name, sentence }]
}

/** Says until when a start may take. */
export function giveUpText(deadline: Instant, now: Instant): string {
  if (deadline === Number.POSITIVE_INFINITY) return 'The controller does not give it up.'
  if (deadline <= now) return 'The controller gives it up now.'
  return `The controller gives it up in ${ageText(deadline - now)}.`
}
