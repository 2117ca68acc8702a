// Folds the reports of the watch of pods.
import type { Instant } from '@dayfly/kit/clock'
import type { PodFacts, Runner } from '../../model/runner.ts'
import { put, remove } from './lives.ts'
import { isNewer, requestedRunner, withLostAnswer, withPod } from './runner-facts.ts'
import { type FoldStep, notAfter } from './step.ts'

/** @param at when these facts were known to be true */
export function podSeen(step: FoldStep, name: string, facts: PodFacts, at: Instant): void {
  const { table, removed, pendingRemovals } = step.state
  if (removed.has(name)) return
  const before = table.get(name) ?? { ...requestedRunner(name, at), secret: 'unknown' }
  if (!facts.end) pendingRemovals.clear(name)
  const after = withPod(before, facts, at)
  put(step, before.pod.is === 'requested' && before.lookUp ? withLostAnswer(after) : after)
}

/** The last state comes with the deletion: a result that only it has is taken from it. */
export function podGone(step: FoldStep, name: string, last: PodFacts): void {
  const { table } = step.state
  step.state.removed.delete(name)
  const before = table.get(name)
  if (!before) return
  const after = withPod(before, last, step.at)
  put(step, after)
  remove(step, after)
}

/** A complete list: a runner that was known before the request, and is not in the list, is gone. */
export function podsListed(step: FoldStep, pods: ReadonlyMap<string, PodFacts>, requestedAt: Instant): void {
  const { state } = step
  const askedAt = notAfter(step, requestedAt)
  for (const name of state.removed) if (!pods.has(name)) state.removed.delete(name)
  for (const [name, facts] of pods) podSeen(step, name, facts, askedAt)
  for (const runner of [...state.table.all()]) {
    if (!pods.has(runner.name) && isGone(step, runner, askedAt)) remove(step, runner)
  }
  state.pods = { known: true, value: true, at: askedAt }
}

function isGone({ state, at }: FoldStep, { name, pod }: Runner, askedAt: Instant): boolean {
  if (pod.is === 'present') return !isNewer(pod.at, { askedAt, at })
  return !isNewer(pod.since, { askedAt, at }) && !state.table.isUnderway(name)
}
