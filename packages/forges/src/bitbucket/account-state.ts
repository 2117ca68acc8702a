// Everything that the sets of one account share: its API, its budget, its list of runners and its cordons.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ClientPorts } from '../send-once.ts'
import { type PollPolicy, SharedPoll } from '../shared-poll.ts'
import { BitbucketApi } from './api.ts'
import { CallBudget } from './call-budget.ts'
import { Cordons } from './cordons.ts'
import type { BitbucketCredential } from './credential.ts'
import { bitbucketError } from './errors.ts'
import { type Identity, type Place, parsePlace } from './place.ts'
import { deleteRunner, findIdentity, listRunners, type RosterView } from './runners.ts'
import type { ListedRunner } from './wire.ts'

/** Everything that the client needs to reach one account. */
export type BitbucketAccess = ClientPorts & {
  /** The URL of a workspace or a repository, for example `https://bitbucket.org/acme`. */
  readonly url: string
  readonly credential: BitbucketCredential
  readonly random: Random
  /** The calls of the credential, which its accounts share; absent: the account has its own. */
  readonly budget?: CallBudget | undefined
  /** Absent: the pace of Bitbucket's runners. */
  readonly pace?: Pace | undefined
}

export type Pace = {
  readonly poll: PollPolicy
  /** See `ForgeTraits.pickUpDelayMs`. */
  readonly pickUpDelayMs: number
}

/** The longest poll is below the age at which a demand is out of date. */
export const bitbucketPace: Pace = {
  poll: { leastMs: 10_000, mostMs: 240_000 },
  pickUpDelayMs: forgeTraits.bitbucket.pickUpDelayMs,
}

export class AccountState {
  readonly place: Place
  readonly api: BitbucketApi
  readonly budget: CallBudget
  readonly clock: Clock
  readonly roster: SharedPoll<RosterView>
  readonly #cordons: Cordons
  readonly #pickUpDelayMs: number
  #identity: Identity | undefined

  /** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Bitbucket's. Sends no request. */
  constructor(access: BitbucketAccess) {
    const { clock, random, budget = new CallBudget(), pace = bitbucketPace } = access
    this.place = parsePlace(access.url)
    this.api = new BitbucketApi({ ...access, place: this.place, budget })
    this.budget = budget
    this.clock = clock
    this.#pickUpDelayMs = pace.pickUpDelayMs
    this.#cordons = new Cordons(this.api, this.place, clock)
    this.roster = new SharedPoll<RosterView>({
      list: async (at) => ({ at, ...(await listRunners(this.api, this.place)) }),
      clock,
      random,
      policy: pace.poll,
      pollMs: () => budget.pollMs(pace.poll, clock.now()),
      onView: ({ runners, at }) => this.#cordons.listed(runners, at),
      onPolled: (polled) => {
        const { runners = [], pages = 1 } = polled?.view ?? {}
        budget.polled(this, polled && { living: runners.length, pages })
      },
    })
  }

  /** Returns the UUIDs of the place, which never change. */
  async identity(signal?: AbortSignal): Promise<Identity> {
    this.#identity ??= await findIdentity(this.api, this.place, signal)
    return this.#identity
  }

  async cordon(id: string, signal?: AbortSignal): Promise<void> {
    await this.#cordons.cordon(id, await this.identity(signal), signal)
  }

  /**
   * Removes a registration. Bitbucket itself would remove a busy runner, so the runner is cordoned first. Two lists in a row
   * that are requested after the pick-up delay then prove that it has no step and gets none. One list alone may be out of date.
   */
  async remove(id: string, signal?: AbortSignal): Promise<'removed' | 'absent' | 'busy'> {
    try {
      if (this.#cordons.since(id) === undefined) await this.cordon(id, signal)
    } catch (error) {
      if (error instanceof PortError && error.kind === 'not-found') return this.#gone(id)
      throw error
    }
    const known = this.roster.view?.runners.find((runner) => runner.id === id)
    // A list in which it has a step may be out of date.
    if (known?.step !== undefined && (await this.#listed(id, signal))?.step !== undefined) return 'busy'
    const provedFrom = (this.#cordons.since(id) ?? this.clock.now()) + this.#pickUpDelayMs
    const waitMs = provedFrom - this.clock.now()
    if (waitMs > 0) await this.clock.sleep(waitMs, signal)
    const lists = this.#showsIdle(id, provedFrom) ? 1 : 2
    for (let list = 0; list < lists; list++) {
      const runner = await this.#listed(id, signal)
      if (!runner) return 'absent'
      if (runner.step !== undefined) return 'busy'
      if (!runner.isCordoned) {
        throw bitbucketError('unavailable', `The runner ${runner.name} was enabled again by another client.`)
      }
    }
    return this.delete(id, signal)
  }

  /** Whether the last list was requested at `from` or later, and has the runner without a step. */
  #showsIdle(id: string, from: Instant): boolean {
    const { view } = this.roster
    const runner = view && view.at >= from ? view.runners.find((one) => one.id === id) : undefined
    return runner !== undefined && runner.step === undefined
  }

  /** Removes a registration without any proof. */
  async delete(id: string, signal?: AbortSignal): Promise<'removed' | 'absent'> {
    const answer = await deleteRunner(this.api, this.place, id, signal)
    this.#gone(id)
    return answer
  }

  async #listed(id: string, signal: AbortSignal | undefined): Promise<ListedRunner | undefined> {
    const { runners } = await this.roster.listed(signal)
    return runners.find((runner) => runner.id === id)
  }

  #gone(id: string): 'absent' {
    this.roster.change((view) => ({ ...view, runners: view.runners.filter((runner) => runner.id !== id) }))
    return 'absent'
  }
}
