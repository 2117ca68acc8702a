// The state of one set, folded from lists as the controller folds it from watches. Facts that only the controller has stay unknown.
import type { Instant } from '@dayfly/kit/clock'
import { phaseOf } from '@dayfly/runner-set/core/phase'
import { fold } from '@dayfly/runner-set/core/state/fold'
import { newSetState, type SetState } from '@dayfly/runner-set/core/state/set-state'
import type { Demand } from '@dayfly/runner-set/model/demand'
import { failureInfo, type StartCause } from '@dayfly/runner-set/model/failure'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { PoolMember } from '@dayfly/runner-set/model/pool'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { Condition } from '@dayfly/runner-set/model/status'
import { explainPod } from '../observe/explain.ts'
import { readEvents } from './events.ts'
import type { Work } from './leader.ts'
import { type RunnerPod, readRunnerPods } from './pods.ts'
import { readPoolMates } from './pool-mates.ts'
import { type Cluster, type Known, orUnknown } from './read.ts'
import { type JobView, problemOf, type SetView } from './set-view.ts'
import { storedDemand } from './stored-demand.ts'

export type DemandReading = {
  readonly demand: Demand
  readonly from: 'status' | 'forge'
  readonly at: Instant | undefined
}

/** The answer of the forge. */
export type ForgeReading = { readonly registrations: readonly Registration[]; readonly demand: Demand | undefined }

export type Situation = {
  readonly view: SetView
  readonly set: RunnerSet
  readonly work: Work
  readonly pods: readonly RunnerPod[]
  readonly demand: Known<DemandReading>
  readonly state: SetState
  /** The other sets of its pool. */
  readonly mates: readonly PoolMember[]
}

export type Sources = {
  readonly view: SetView
  readonly set: RunnerSet
  readonly work: Work
  /** Undefined if the forge was not asked. */
  readonly forge: ForgeReading | undefined
}

/** At most this many starts are looked up in the Events. */
const lookUpsMax = 10

export async function readSituation(cluster: Cluster, sources: Sources, limits: Limits): Promise<Situation> {
  const { view, set } = sources
  const askedAt = cluster.clock.now()
  const all = await readRunnerPods(cluster, view.namespace)
  const pods = all.filter(({ observed }) => observed.setUid === view.uid)
  const demand = demandOf(sources)
  const { forge, demandDays } = view
  const state = newSetState(set, { conditions: view.conditions as readonly Condition[], forge, demandDays })
  const take = (input: Parameters<typeof fold>[1], at = askedAt) => fold(state, input, limits, at)
  const facts = new Map(pods.map(({ observed }) => [observed.name, observed.facts]))
  // An end counts from its own time: a demand that was read later does not count its job any more.
  for (const [name, pod] of facts) if (pod.end) take({ kind: 'pod-seen', name, pod }, Math.min(pod.end.at, askedAt - 1))
  take({ kind: 'pods-listed', pods: facts, askedAt })
  // Only the controller looks for the Secrets of runners. Here each is taken as written.
  for (const runner of facts.keys()) {
    take({ kind: 'outcome', outcome: { action: 'look-up-secret', runner, result: { is: 'present' } } })
  }
  // The oldest first, because the last job of a runner is the one that it may have now.
  for (const job of view.jobs.toReversed()) if (facts.has(job.runner)) takeJob(take, job, askedAt)
  if (sources.forge) {
    const { registrations } = sources.forge
    const result = { is: 'listed', registrations, askedAt } as const
    take({ kind: 'outcome', outcome: { action: 'list-registrations', result } })
  }
  for (const { name, cause } of await explainStarts(cluster, pods, state)) {
    take({ kind: 'outcome', outcome: { action: 'explain-runner', runner: name, result: { is: 'explained', cause } } })
  }
  if (demand.known) {
    // How long the set has been quiet is the controller's knowledge: this command assumes that it was long enough.
    const event = { kind: 'demand', demand: demand.value.demand, at: askedAt } as const
    take({ kind: 'forge-event', event }, askedAt - limits.quietMs)
    state.forge.quietSince = askedAt - limits.quietMs
  }
  const mates = await readPoolMates(cluster, set, all, limits)
  return { view, set, work: sources.work, pods, demand, state, mates }
}

function takeJob(take: (input: Parameters<typeof fold>[1]) => unknown, job: JobView, now: Instant): void {
  const { id, name, repository, runner } = job
  const at = Date.parse(job.startedAt) || now
  const started = { kind: 'job-started', runner, job: { id, name, repository }, at, queuedAt: undefined } as const
  take({ kind: 'forge-event', event: started })
  if (job.result === undefined) return
  const finishedAt = Date.parse(job.finishedAt ?? '') || now
  const event = { kind: 'job-finished', runner, jobId: id, result: job.result, at: finishedAt } as const
  take({ kind: 'forge-event', event })
}

/** A status that no controller refreshes says nothing about the demand now. */
function demandOf({ view, set, work, forge }: Sources): Known<DemandReading> {
  if (forge?.demand) return { known: true, value: { demand: forge.demand, from: 'forge', at: undefined } }
  if (work.is === 'no-leader' || work.is === 'unseen') {
    const old = view.demand === undefined ? '' : ` The last known demand was ${view.demand}.`
    return { known: false, why: `${work.sentence}${old}` }
  }
  if (view.demand === undefined) {
    const failure = problemOf(view, 'forge')
    const cause = failure && `${failure.reason}: ${failureInfo(failure.reason).sentence} ${failure.message}`
    return { known: false, why: cause ?? 'The forge has not reported it to the controller.' }
  }
  const demand = storedDemand(set, view.demand, view)
  return { known: true, value: { demand, from: 'status', at: view.statusAt } }
}

type Explained = { readonly name: string; readonly cause: StartCause | undefined }

/** Reads the Events of starts whose own status shows no cause, as the controller does. */
async function explainStarts(cluster: Cluster, pods: readonly RunnerPod[], { table }: SetState): Promise<Explained[]> {
  const silent = pods.filter(({ observed }) => {
    const runner = table.get(observed.name)
    return runner && phaseOf(runner) === 'starting' && observed.facts.startFailure === undefined
  })
  const looked = silent.slice(0, lookUpsMax).map(async ({ pod, observed: { name, namespace, facts } }) => {
    const events = await orUnknown(readEvents(cluster, { namespace, name, uid: facts.uid }))
    const raw = events.known ? events.value.map((event) => event.raw) : []
    return { name, cause: explainPod(raw, pod) }
  })
  return Promise.all(looked)
}
