// The one fold: an input changes the state of a set. It has no I/O, clock or randomness, and updates the tables in place, so that its cost follows what changed.
import { unreachable } from '@dayfly/kit/assert'
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '../../model/event.ts'
import type { Input } from '../../model/input.ts'
import type { Limits } from '../../model/limits.ts'
import { isPaused } from '../paused.ts'
import { templateHash } from '../pod.ts'
import { noReruns } from '../rerun/reruns.ts'
import { runnerImage } from '../runner-image.ts'
import { foldDecided } from './fold-decided.ts'
import { foldForgeEvent, forgeFailed } from './fold-forge.ts'
import { foldOutcome } from './fold-outcome.ts'
import { podGone, podSeen, podsListed } from './fold-pods.ts'
import { rerunsAbandoned } from './fold-reruns.ts'
import { noHistory } from './history.ts'
import type { SetState } from './set-state.ts'
import type { FoldStep } from './step.ts'

/** Folds one input into the state. @param at when the input arrived. Returns what the journal must report, in order. */
export function fold(state: SetState, input: Input, limits: Limits, at: Instant): readonly JournalEvent[] {
  const events: JournalEvent[] = []
  foldInput({ state, limits, at, events }, input)
  return events
}

function foldInput(step: FoldStep, input: Input): void {
  const { state } = step
  switch (input.kind) {
    case 'pod-seen':
      podSeen(step, input.name, input.pod, step.at)
      break
    case 'pod-gone':
      podGone(step, input.name, input.last)
      break
    case 'pods-listed':
      podsListed(step, input.pods, input.askedAt)
      break
    case 'pods-stale':
      state.pods = { known: false, since: input.since, why: input.why }
      break
    case 'pods-current':
      state.pods = { known: true, value: true, at: input.at }
      break
    case 'quotas-seen':
      state.quotas = input.quotas
      break
    case 'set-changed':
      setChanged(step, input)
      break
    case 'term-began':
      termBegan(step)
      break
    case 'forge-event':
      foldForgeEvent(step, input.event)
      break
    case 'forge-paused':
      state.forge.paused(step.at)
      state.unassigned = undefined
      break
    case 'forge-failed':
      forgeFailed(step, input.failure, step.at)
      break
    case 'decided':
      foldDecided(step, input)
      break
    case 'outcome':
      foldOutcome(step, input.outcome)
      break
    default:
      unreachable(input)
  }
}

/** The owner changed the set. A cause that stopped it may be gone, so failures and waits are forgotten. */
function setChanged({ state }: FoldStep, { set }: Extract<Input, { kind: 'set-changed' }>): void {
  const hash = templateHash(set)
  if (hash === state.templateHash) {
    state.history = { ...state.history, blocked: undefined, retryAt: undefined }
  } else {
    state.history = noHistory
  }
  state.retries = {}
  if (state.template?.is === 'refused') state.template = undefined
  // A pause changes what each runner needs.
  if (isPaused(set) !== isPaused(state.set)) state.table.lookAtAll()
  if (hash !== state.templateHash || set.idleMaxMs !== state.set.idleMaxMs) judgeAgesAgain(state)
  if (runnerImage(set) !== runnerImage(state.set)) state.forge.runnerVersion = undefined
  if (!set.source.rerun) state.reruns = noReruns
  state.set = set
  state.templateHash = hash
}

/** The set decides which idle runners are outdated. */
function judgeAgesAgain({ table }: SetState): void {
  for (const runner of [...table.all()]) if (runner.outdated) table.put({ ...runner, outdated: false })
  table.lookAtAll()
}

/** Another process may have acted since: the actions of the earlier term are over, and the registrations are listed again.
 *  A start that was cut short may have left a pod without its Secret. */
function termBegan(step: FoldStep): void {
  const { state } = step
  for (const runner of [...state.table.all()]) {
    const pod = runner.pod.is === 'present' ? runner.pod.value : undefined
    if (pod && pod.startedAt === undefined && !pod.end) state.table.put({ ...runner, secret: 'unknown' })
  }
  state.underway['check-template'] = false
  state.underway['list-registrations'] = false
  state.underway.report = false
  state.retries = {}
  state.reported = undefined
  state.forge.registrationsAt = undefined
  for (const { registration } of state.pendingRemovals.all()) state.pendingRemovals.settle(registration.name)
  state.table.settleAll()
  rerunsAbandoned(step)
}
