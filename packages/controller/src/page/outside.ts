// The page without the controller's process: the status of the sets, their pods and their Events, read again and again.
import type { History } from '@dayfly/dashboard/history/history'
import type { SeedLife } from '@dayfly/dashboard/history/seed'
import type { HealthLine, SetNow } from '@dayfly/dashboard/model/set-now'
import type { PresentSource } from '@dayfly/dashboard/server/source'
import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { LeaseChoice } from '../operate/leader.ts'
import { type Judged, type Overview, readOverview } from '../operate/overview.ts'
import { planOf } from '../operate/plan.ts'
import { type RunnerPod, readRunnerPods } from '../operate/pods.ts'
import { AccessFailure, type Cluster } from '../operate/read.ts'
import { explanationOf, explanationOfGone } from '../operate/runner-explanation.ts'
import { readSituation } from '../operate/situation.ts'
import { isFull } from '../operate/why.ts'
import { readRunnerFacts } from './runner-facts.ts'
import { runnerLog } from './runner-log.ts'
import { setOfView, waitingIn } from './set-of-view.ts'

export type OutsideOptions = {
  readonly cluster: Cluster
  readonly namespace: string | undefined
  readonly lease: LeaseChoice
  readonly logs: PodLogs
  readonly history: History
  readonly limits: Limits
}

/** How often the cluster is read, in milliseconds. */
const readMs = 3_000
/** The reasons of at most so many waiting sets are worked out in one round: each reads pods and Events. */
const explainedMax = 5

/** The result of one round. */
type Round = { readonly at: Instant; readonly overview: Overview; readonly why: ReadonlyMap<string, string> }

export class Outside implements PresentSource {
  readonly limits = [
    'This page reads the cluster from outside. Waiting jobs by name, queue times, costs and the forge are known to the controller alone: start it with --dashboard-address.',
  ]
  readonly #options: OutsideOptions
  /** The runners of the last round, by namespace and name. */
  #seen = new Map<string, SeedLife>()
  readonly #waits = new Map<string, Instant>()
  #round: Round | undefined
  #failure: { readonly since: Instant; readonly why: string } | undefined

  constructor(options: OutsideOptions) {
    this.#options = options
  }

  /** Reads until the signal is aborted. A failed round leaves the last one, which gets older. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.cluster
    while (!signal.aborted) {
      try {
        await this.read()
      } catch (error) {
        if (!(error instanceof AccessFailure)) throw error
        this.#failure = { since: this.#failure?.since ?? clock.now(), why: error.message }
      }
      await clock.sleep(readMs, signal).catch(() => {})
    }
  }

  /** Reads the cluster once. */
  async read(): Promise<void> {
    const { cluster, namespace, lease } = this.#options
    const at = cluster.clock.now()
    const [overview, pods] = await Promise.all([
      readOverview(cluster, namespace, lease),
      readRunnerPods(cluster, namespace),
    ])
    this.#follow(overview, pods, at)
    // A set with sizes is the sum of sets that the page shows.
    const shown = { ...overview, sets: overview.sets.filter(({ view }) => !view.set?.sizes) }
    this.#round = { at, overview: shown, why: await this.#reasons(shown) }
    this.#failure = undefined
  }

  readonly sets = (): readonly SetNow[] => {
    const { overview, at, why } = this.#round ?? { overview: undefined, at: 0, why: new Map<string, string>() }
    return (overview?.sets ?? []).map((judged) => this.#setNow(judged, at, why.get(idOf(judged.view)) ?? null))
  }

  readonly health = (): readonly HealthLine[] => {
    const { overview } = this.#round ?? {}
    const cluster: HealthLine = this.#failure
      ? { name: 'cluster', is: 'failed', detail: this.#failure.why }
      : { name: 'cluster', is: overview ? 'ok' : 'unknown', detail: overview ? 'it answers' : 'not read yet' }
    return [cluster, ...(overview ? [leaderLine(overview)] : [])]
  }

  readonly runner: PresentSource['runner'] = async (life, signal) => {
    const { cluster, limits } = this.#options
    const now = cluster.clock.now()
    const judged = this.#round?.overview.sets.find(({ view }) => idOf(view) === life.set)
    const jobs = (judged?.view.jobs ?? []).filter(({ runner }) => runner === life.runner)
    const { view } = judged ?? {}
    const situation =
      judged && view?.set
        ? await readSituation(
            { ...cluster, signal },
            { view, set: view.set, work: judged.work, forge: undefined },
            limits,
          )
        : undefined
    const runner = situation?.state.table.get(life.runner)
    const explanation =
      view && runner ? explanationOf(runner, jobs, { view, limits, now }) : explanationOfGone(jobs, now)
    return readRunnerFacts({ ...cluster, signal }, life, explanation)
  }

  readonly log: PresentSource['log'] = (life, signal) => runnerLog(this.#options.logs, life, signal)

  /** The same reasons as those of `dayfly explain`, because it is the same plan. */
  async #reasons({ sets }: Overview): Promise<ReadonlyMap<string, string>> {
    const { cluster, limits } = this.#options
    const short = sets.filter(({ view }) => (waitingIn(view) ?? 0) > 0 || isFull(view.demand, view.max, view))
    const why = new Map<string, string>()
    for (const { view, work } of short.slice(0, explainedMax)) {
      if (!view.set) continue
      const situation = await readSituation(cluster, { view, set: view.set, work, forge: undefined }, limits)
      const reason = planOf(situation, limits, cluster.clock.now()).why
      if (reason !== undefined) why.set(idOf(view), reason)
    }
    return why
  }

  /** Gives the history what pods and status show of each runner, and that a runner is gone. */
  #follow({ sets }: Overview, pods: readonly RunnerPod[], at: Instant): void {
    const { history } = this.#options
    const byUid = new Map(sets.map(({ view }) => [view.uid, view] as const))
    const living = pods.flatMap(({ observed: { name, namespace, setUid, facts } }): readonly SeedLife[] => {
      const view = byUid.get(setUid ?? '')
      if (!view) return []
      const job = view.jobs.find(({ runner }) => runner === name)
      const { createdAt, startedAt, node, end } = facts
      const record = job && { ...job, result: job.result ?? null, finishedAt: job.finishedAt ?? null }
      const pod = { createdAt, startedAt, node, end }
      return [{ namespace, set: view.name, runner: name, pod, isOnline: job !== undefined, job: record }]
    })
    const ids = new Set(living.map(({ namespace, runner }) => `${namespace}/${runner}`))
    const gone = [...this.#seen].flatMap(([id, seed]) =>
      ids.has(id) ? [] : [{ ...seed, pod: undefined, isOnline: false, job: undefined }],
    )
    this.#seen = new Map(living.map((seed) => [`${seed.namespace}/${seed.runner}`, seed] as const))
    history.seed([...living, ...gone], at)
  }

  #setNow({ view, work }: Judged, at: Instant, why: string | null): SetNow {
    const id = idOf(view)
    const waiting = waitingIn(view)
    if (waiting === 0) this.#waits.delete(id)
    else if (waiting !== null && !this.#waits.has(id)) this.#waits.set(id, at)
    return setOfView(view, {
      ...{ work, why },
      waitingSince: this.#waits.get(id) ?? null,
      oldSince: this.#failure ? at : null,
    })
  }
}

function idOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}

function leaderLine({ leaders, at }: Overview): HealthLine {
  if (!leaders.known) return { name: 'leader', is: 'unknown', detail: leaders.why }
  const leader = leaders.value.find(({ is }) => is === 'leading')
  if (!leader) return { name: 'leader', is: 'failed', detail: 'no controller leads' }
  const age = leader.renewedAt === undefined ? '' : `, and renewed its Lease ${ageText(at - leader.renewedAt)} ago`
  return { name: 'leader', is: 'ok', detail: `${leader.holder} leads${age}` }
}
