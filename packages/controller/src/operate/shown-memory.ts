// The part of the controller's memory that the status of a set shows.
import type { Instant } from '@dayfly/kit/clock'
import { podUseOf } from '@dayfly/runner-set/core/pod-use'
import { trialPod } from '@dayfly/runner-set/core/template'
import type { History, SetWorld, TemplateVerdict } from '@dayfly/runner-set/model/world'
import { conditionOf, knownReason, problemOf, type SetView } from './set-view.ts'

/** Returns the failures of the set: those in a row, the last one, and the one that no new runner can avoid. */
export function shownHistory({ history }: Pick<SetWorld, 'history'>, view: SetView, now: Instant): History {
  const failed = view.failed ?? 0
  const reason = knownReason(view.lastReason)
  return {
    ...history,
    last: reason && { reason, message: view.lastMessage ?? '', at: now, runner: undefined },
    failuresInARow: failed,
    failedAt: failed > 0 ? now : 0,
    retryAt: undefined,
    blocked: problemOf(view, 'blocked'),
  }
}

/** Returns the verdict on the present template; undefined if the status shows none. */
export function shownVerdict(
  { set, templateHash: hash }: Pick<SetWorld, 'set' | 'templateHash'>,
  view: SetView,
  at: Instant,
): TemplateVerdict | undefined {
  const condition = conditionOf(view, 'TemplateAccepted')
  if (condition?.observedGeneration !== view.generation) return undefined
  if (condition.status === 'True') return { is: 'accepted', hash, warnings: [], use: podUseOf(trialPod(set).spec), at }
  const failure = problemOf(view, 'template')
  return failure && { is: 'refused', hash, failure, at, refusals: 1 }
}
