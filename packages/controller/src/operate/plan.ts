// The decision about one set now, in words. The core decides on the folded state; nothing is done.

import { ageText, counted } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { decide } from '@dayfly/runner-set/core/decide'
import { shownDemand } from '@dayfly/runner-set/core/desired'
import { isPaused } from '@dayfly/runner-set/core/paused'
import { phaseOf } from '@dayfly/runner-set/core/phase'
import { judgeAge } from '@dayfly/runner-set/core/renewal'
import { longestRetryWaitMs } from '@dayfly/runner-set/core/retry'
import { minimumText } from '@dayfly/runner-set/core/schedule'
import { type SetState, worldOf } from '@dayfly/runner-set/core/state/set-state'
import { isUsualKnown, usualText } from '@dayfly/runner-set/core/usual-demand'
import type { Decision } from '@dayfly/runner-set/model/action'
import type { EndCause } from '@dayfly/runner-set/model/end-cause'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { Counts } from '@dayfly/runner-set/model/runner'
import type { SetSize } from '@dayfly/runner-set/model/runner-set'
import type { SetWorld } from '@dayfly/runner-set/model/world'
import { heldText } from './held-text.ts'
import type { PlanStep } from './plan-step.ts'
import { lastingProblemsOf } from './problems.ts'
import { problemOf, type SetView } from './set-view.ts'
import { shownHistory, shownVerdict } from './shown-memory.ts'
import type { Situation } from './situation.ts'
import { waitingSteps } from './waiting-steps.ts'
import { announcedOf, whyOf } from './why.ts'

export type SetPlan = {
  /** Undefined if unknown. */
  readonly demand: number | undefined
  readonly wanted: number | undefined
  readonly counts: Counts
  /** How many idle runners the set keeps now, and the window of its schedule that says so. */
  readonly min: number
  readonly minReason: string | undefined
  /** How many runners this hour usually needs (null: too few weeks are known), and why. Undefined if the set does not ask, or needs none. */
  readonly usual: { readonly runners: number | null; readonly reason: string } | undefined
  /** Why missing runners do not come; undefined while nothing holds them up. */
  readonly why: string | undefined
  readonly steps: readonly PlanStep[]
  /** The facts that this command cannot know, each a sentence. */
  readonly unknown: readonly string[]
}

export function planOf(situation: Situation, limits: Limits, now: Instant): SetPlan {
  if (situation.set.sizes) return planOfSizes(situation, situation.set.sizes)
  const { view, state, demand, work, mates } = situation
  // Only the controller knows the limit of the forge.
  const allowance = { now: Number.POSITIVE_INFINITY, nextAt: undefined }
  const waiting = waitingSteps(state, limits, now)
  markOutdated(state, now)
  const world = withStatus(worldOf(state, { allowance, others: mates }, limits, now), view, now)
  const ids = Array.from({ length: limits.startsPerTick }, (_, index) => String(index))
  const decision = decide(world, limits, now, ids)
  const starts = decision.actions.filter(({ kind }) => kind === 'start-runner').length
  const context = { set: world.set, limits, demandWhy: demand.known ? undefined : demand.why, starts }
  const steps: readonly PlanStep[] = [
    ...scaleSteps(world, starts),
    ...(decision.held ? [{ does: 'refuse', sentence: heldText(decision.held, context) } as const] : []),
    ...endSteps(decision),
    ...waiting,
  ]
  const counts = state.table.counts()
  const { minimum, usual } = world
  const usualReason = usual && usualText(usual)
  const jobs = demand.known ? shownDemand(demand.value.demand, counts.busy) : undefined
  const nothing: PlanStep = { does: 'nothing', sentence: 'Does nothing: the set has the runners that it needs.' }
  return {
    demand: jobs,
    wanted: world.need?.wanted,
    min: minimum.min,
    minReason: minimumText(minimum),
    usual:
      usual && usualReason !== undefined
        ? { runners: isUsualKnown(usual) ? usual.runners : null, reason: usualReason }
        : undefined,
    counts,
    why: whyOf({
      problems: lastingProblemsOf(view, work),
      held: decision.held,
      context,
      waiting,
      demand: jobs,
      announced: announcedOf(view),
    }),
    steps: steps.length === 0 ? [nothing] : steps,
    unknown: [...unknowns(situation, limits, now), ...(starts > 0 ? [forgeLimit] : [])],
  }
}

/** The controller has marked them in an earlier tick. */
function markOutdated(state: SetState, now: Instant): void {
  for (const runner of [...state.table.all()]) {
    if (runner.pod.is !== 'present' || phaseOf(runner) !== 'idle') continue
    const { mark } = judgeAge({ world: state, now }, runner, runner.pod.value)
    if (mark) state.table.put({ ...runner, outdated: true })
  }
}

/** A set with sizes has no runners of its own. */
function planOfSizes({ state, demand, set }: Situation, sizes: readonly SetSize[]): SetPlan {
  const names = sizes.map(({ set }) => set)
  const sentence = `Starts no runner itself: its sizes are sets of their own. Name one of them: ${names.join(', ')}.`
  const counts = state.table.counts()
  const jobs = demand.known ? shownDemand(demand.value.demand, 0) : undefined
  return {
    demand: jobs,
    wanted: undefined,
    min: set.scale.min,
    minReason: undefined,
    usual: undefined,
    counts,
    why: undefined,
    steps: [{ does: 'nothing', sentence }],
    unknown: [],
  }
}

/** The template's verdict and the failures in a row are in the controller's memory; the status shows them. */
function withStatus(world: SetWorld, view: SetView, now: Instant): SetWorld {
  const forge = problemOf(view, 'forge')
  return {
    ...world,
    template: shownVerdict(world, view, now),
    forgeFailure: forge && { ...forge, since: now },
    history: shownHistory(world, view, now),
  }
}

/** With percentages, each reading of the demand decides about a step up or down, and about no number of runners. */
function scaleSteps(world: SetWorld, starts: number): readonly PlanStep[] {
  const { need, set } = world
  if (isPaused(set)) return []
  const many = counted(starts, 'runner')
  if (!need) {
    const isRenewal = world.outdated.count > 0
    const cause = isRenewal ? 'an outdated runner ends after that.' : 'min or the share of busy runners asks for that.'
    return starts > 0 ? [{ does: 'start', sentence: `Starts ${many}: ${cause}` }] : []
  }
  const { wanted, living, covered, surplus } = need
  if (surplus > 0) {
    const sentence = `Has ${counted(surplus, 'runner')} too many. Ends them after a minute without a new job or a change of demand.`
    return [{ does: 'wait', sentence }]
  }
  const steps: PlanStep[] = []
  if (starts > 0) {
    steps.push({ does: 'start', sentence: `Starts ${many}${retryText(world)}: ${wanted} wanted, ${living} live.` })
  }
  if (covered > 0 && wanted > living) {
    const ended = counted(Math.min(covered, wanted - living), 'runner')
    const sentence = `Starts none for ${ended} that ended: the demand may still count the job of each.`
    steps.push({ does: 'wait', sentence })
  }
  if (world.outdated.count > 0) {
    const sentence = `Replaces ${counted(world.outdated.count, 'outdated runner')}: one ends when its replacement is online.`
    steps.push({ does: 'wait', sentence })
  }
  return steps
}

/** After a failed start the next one waits. When the wait began is in the memory of the controller. */
function retryText({ history }: SetWorld): string {
  const { failuresInARow: failures, last } = history
  const most = last && failures > 0 ? longestRetryWaitMs(last.reason, failures) : undefined
  if (most === undefined) return ''
  return ` when the wait after ${counted(failures, 'failed start')} is over (at most ${ageText(most)})`
}

function endSteps({ actions }: Decision): readonly PlanStep[] {
  return actions.flatMap((action): PlanStep[] => {
    switch (action.kind) {
      case 'deregister-runner': {
        const sentence = `Asks the forge to remove the registration of ${action.runner} (${causeText(action.because)}). It deletes the pod only if the forge shows that the runner is idle.`
        return [{ does: 'end', runner: action.runner, sentence }]
      }
      case 'delete-runner':
        return [
          {
            does: 'end',
            runner: action.runner,
            sentence: `Deletes the pod of ${action.runner} (${causeText(action.because)}).`,
          },
        ]
      case 'cordon-runner':
        return [
          { does: 'cordon', runner: action.runner, sentence: `Asks the forge to give ${action.runner} no other job.` },
        ]
      case 'check-template':
        return [{ does: 'check', sentence: 'Checks the template with a dry run.' }]
      default:
        return []
    }
  })
}

function causeText(because: EndCause): string {
  switch (because.kind) {
    case 'ended':
      return 'its container has ended'
    case 'surplus':
      return 'it is not needed'
    case 'outdated':
      return 'it is older than idleMax or half of lifeMax, or of an earlier template'
    case 'spent':
      return 'it gets no other job'
    case 'ghost':
      return 'the forge does not know it'
    case 'life-exceeded':
      return 'it lived longer than lifeMax'
    case 'abandoned':
      return 'another process created its pod without its Secret'
    case 'start-failed':
      return `${because.failure.reason}: ${because.failure.message}`
  }
}

const forgeLimit = 'The forge may also limit registrations: only the controller knows its limit.'

function unknowns({ demand, view, state }: Situation, limits: Limits, now: Instant): readonly string[] {
  const notes: string[] = []
  if (demand.known && demand.value.from === 'status') {
    const { at } = demand.value
    const age = at === undefined ? `at most ${ageText(limits.demandAgeMs)} old` : `written ${ageText(now - at)} ago`
    notes.push(`The demand is the one of the status, ${age}. plan --forge asks the forge.`)
  }
  if (state.forge.registrationsAt === undefined && state.table.counts().idle > view.jobs.length) {
    notes.push(
      'Whether a running runner has a job: the status remembers the last jobs only. plan --forge asks the forge.',
    )
  }
  return notes
}
