// The sets of one account: which jobs each takes, and which jobs none of them can have.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { UnservedJobs } from '@dayfly/runner-set/model/forge-event'
import { type Assignment, assignJobs } from './assign.ts'
import { unservedIn } from './unserved.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

type SetNow = () => ForgeSet

/** One poll, as far as sets are concerned. */
type View = {
  readonly at: Instant
  readonly jobs: readonly ListedJob[]
  readonly runners: readonly ListedRunner[]
}

export class AccountSets {
  /** The sets that take jobs. */
  readonly #taking = new Set<SetNow>()
  /** All sets with a link: a paused one takes no job. */
  readonly #linked = new Set<SetNow>()
  readonly #fromServer: (at: Instant) => Instant
  #assigned: { readonly jobs: readonly ListedJob[]; readonly of: Assignment } | undefined

  /** @param fromServer converts a time of the server's clock to ours */
  constructor(fromServer: (at: Instant) => Instant) {
    this.#fromServer = fromServer
  }

  /** Remembers a set until its link is closed. */
  link(set: SetNow, until: AbortSignal): void {
    this.#linked.add(set)
    until.addEventListener('abort', () => this.#linked.delete(set), { once: true })
  }

  /** Lets the set take jobs. Returns how to end that. */
  join(set: SetNow): () => void {
    this.#taking.add(set)
    this.changed()
    return () => {
      this.#taking.delete(set)
      this.changed()
    }
  }

  /** The sets have changed, and with them who takes which job. */
  changed(): void {
    this.#assigned = undefined
  }

  /** Returns the jobs that wait for the set. */
  waitingFor({ runnerPrefix }: ForgeSet, view: View): readonly ListedJob[] {
    return this.assign(view.jobs).waiting.get(runnerPrefix) ?? []
  }

  /** Returns the jobs that no set can have; undefined without any, and for all sets but the first one of the account by its name. */
  unservedFor({ runnerPrefix }: ForgeSet, view: View): UnservedJobs | undefined {
    const [first] = now(this.#taking).sort((one, next) => (keyOf(one) < keyOf(next) ? -1 : 1))
    if (first?.runnerPrefix !== runnerPrefix) return undefined
    return unservedIn(this.assign(view.jobs).unserved, view, now(this.#linked), this.#fromServer)
  }

  /** The sets of an account ask for the same list one after another, so the last result is kept. */
  assign(jobs: readonly ListedJob[]): Assignment {
    if (this.#assigned?.jobs !== jobs) this.#assigned = { jobs, of: assignJobs(jobs, now(this.#taking)) }
    return this.#assigned.of
  }

  /** Whether the name is that of a runner of a set that takes jobs. */
  has(runner: string): boolean {
    return runner !== '' && now(this.#taking).some(({ runnerPrefix }) => runner.startsWith(runnerPrefix))
  }
}

function now(sets: ReadonlySet<SetNow>): ForgeSet[] {
  return [...sets].map((set) => set())
}

/** Sets of two namespaces may have one name. */
function keyOf({ name, runnerPrefix }: ForgeSet): string {
  return `${name} ${runnerPrefix}`
}
