// The controller: a cache of pods, a worker for each set, and the election of the process that may act.
import type { Clock } from '@dayfly/kit/clock'
import { aborted } from '@dayfly/kit/signals'
import { createElector, type Leadership } from '@dayfly/kubernetes/lease'
import type { ReflectorSink } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { watchesLabel } from '@dayfly/runner-set/model/api'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { messageOf } from './act/unsuccessful.ts'
import { labelCosts } from './cost-labels.ts'
import { ElectionHealth, type ElectionView } from './election-health.ts'
import { guarded } from './guard.ts'
import { JobPods } from './job-pods.ts'
import type { Journal } from './journal.ts'
import { publishEvents } from './kubernetes-events.ts'
import type { ControllerOptions } from './options.ts'
import { PodCache } from './pod-cache.ts'
import { QuotaCache } from './quota-cache.ts'
import type { SetInsight, SetReading } from './set-reading.ts'
import { SetWorkers } from './set-workers.ts'
import { SizeKeeper } from './sizes/size-keeper.ts'
import { UsageKeeper } from './usage/usage-keeper.ts'
import type { WatchState } from './watch-health.ts'
import { openWatches, type Watches } from './watches.ts'

export interface Controller {
  /** Returns what health checks and gauges show. It reads what is in memory. */
  state(): ControllerState
  /** Returns what the page shows of each set. It reads what is in memory. */
  insights(): readonly SetInsight[]
  /** Returns the sets whose spec is not valid. It reads what is in memory. */
  invalid(): readonly KubeObject[]
  /** Waits for actions under way, and gives the sessions and the Lease back. Runners live on. Takes at most 40 s. */
  stop(): Promise<void>
}

export type ControllerState = {
  readonly election: ElectionView
  readonly watches: readonly WatchState[]
  readonly sets: readonly SetReading[]
  /** Sets that cannot be read. */
  readonly invalid: readonly { readonly namespace: string; readonly name: string }[]
}

/** How long `stop` waits for actions under way, in milliseconds. */
const drainMsMax = 35_000

/** Starts at once and runs until it is stopped. Failures go to the journal. */
export function startController(options: ControllerOptions, journal: Journal): Controller {
  const { clock, stopwatch, identity, kubernetes, random, namespace } = options
  const until = new AbortController()
  const needs = { jobPods: new AbortController(), quotas: new AbortController() }
  const podCache = new PodCache(clock)
  const quotas: QuotaCache = new QuotaCache((changed) => setWorkers.quotasChanged(changed))
  const setWorkers: SetWorkers = new SetWorkers(options, journal, { pods: podCache, quotas }, (set) => {
    if (set.jobs === 'pods') needs.jobPods.abort()
    if (forgeTraits[set.source.kind].announcesCapacity) needs.quotas.abort()
  })
  const find = (namespace: string, runner: string) => setWorkers.runnerOf(namespace, runner)
  const jobPods = new JobPods({ clock, random, journal, find })
  const election = new ElectionHealth(clock, journal)
  const { onState, onTurn } = election
  const served = { [watchesLabel]: namespace ?? '' }
  journal.write({ kind: 'controller-started', identity })
  const sizes = new SizeKeeper(options, journal)
  const usage = new UsageKeeper({ ...options, journal, insights: () => setWorkers.insights() })
  const caches = { pods: podCache, sets: all(setWorkers, sizes, usage), jobPods, quotas }
  const watches = openWatches(options, journal, caches, {
    needs: { jobPods: needs.jobPods.signal, quotas: needs.quotas.signal },
    until: until.signal,
  })
  const elector = createElector({
    ...options.lease,
    ...{ kubernetes, clock, stopwatch, random, identity, onState, onTurn },
    labels: served,
  })
  const led = elector.run(
    (leadership) =>
      lead({ options, journal, sets: setWorkers, sizes, usage, jobPods, watches, until: until.signal }, leadership),
    until.signal,
  )
  return {
    state: () => ({
      election: election.view(),
      watches: watches.states(),
      sets: setWorkers.readings(),
      invalid: setWorkers.invalid().map(({ metadata: { namespace, name } }) => ({ namespace: namespace ?? '', name })),
    }),
    insights: () => setWorkers.insights(),
    invalid: () => setWorkers.invalid(),
    stop: async () => {
      sizes.stop()
      if (!(await withinMs(clock, drainMsMax, Promise.all([usage.handOver(), setWorkers.stop()])))) {
        journal.write({ kind: 'stop-cut-short', afterMs: drainMsMax })
      }
      until.abort()
      podCache.stop()
      jobPods.stop()
      await Promise.all([watches.over, led])
      journal.write({ kind: 'controller-stopped', identity })
    },
  }
}

/** One watch of the sets feeds several caches. */
function all(...sinks: readonly ReflectorSink<KubeObject>[]): ReflectorSink<KubeObject> {
  return {
    replaced: (items, askedAt) => {
      for (const sink of sinks) sink.replaced(items, askedAt)
    },
    changed: (item) => {
      for (const sink of sinks) sink.changed(item)
    },
    removed: (item) => {
      for (const sink of sinks) sink.removed(item)
    },
    progressed: (at) => {
      for (const sink of sinks) sink.progressed(at)
    },
    stale: (since, why, error) => {
      for (const sink of sinks) sink.stale(since, why, error)
    },
  }
}

/** Returns whether the work ended within `ms`. */
async function withinMs(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const bound = new AbortController()
  const late = clock.sleep(ms, bound.signal).then(
    () => false,
    () => true,
  )
  const inTime = await Promise.race([work.then(() => true), late])
  bound.abort()
  return inTime
}

type Lead = {
  readonly options: ControllerOptions
  readonly journal: Journal
  readonly sets: SetWorkers
  readonly sizes: SizeKeeper
  readonly usage: UsageKeeper
  readonly jobPods: JobPods
  readonly watches: Watches
  readonly until: AbortSignal
}

async function lead(
  { options, journal, sets, sizes, usage, jobPods, watches, until }: Lead,
  leadership: Leadership,
): Promise<void> {
  const { identity } = options
  journal.write({ kind: 'leadership-gained', identity })
  const { signal } = leadership
  const kubernetes = guarded(options.kubernetes, leadership)
  const uidOf = (namespace: string, set: string) => sets.uidOf(namespace, set)
  const endEvents = publishEvents({ kubernetes, identity, uidOf, signal }, journal)
  const endLabels = options.costLabels ? labelCosts({ kubernetes, signal }, journal) : undefined
  // The stream may have been silent for minutes, while the last leader created pods: only a list from now on shows them all.
  watches.relistPods()
  sets.lead(leadership)
  sizes.lead({ kubernetes, signal })
  usage.lead({ kubernetes, signal })
  jobPods.lead({ kubernetes, signal })
  await aborted(signal)
  endEvents()
  endLabels?.()
  const planned = until.aborted
  const why = planned ? 'the process stops' : messageOf(signal.reason)
  journal.write({ kind: 'leadership-lost', identity, why, planned })
}
