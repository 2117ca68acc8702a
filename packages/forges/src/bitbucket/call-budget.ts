// The calls of one user in any 60 minutes, and who may make the next one (docs/reference/bitbucket.md#s2-4).
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeLimit } from '@dayfly/runner-set/forge/forge'
import type { PollPolicy } from '../shared-poll.ts'
import type { BitbucketCredential } from './credential.ts'

/** `register` comes last: a runner that lives needs a cordon and a removal, and all sets need lists. */
export type CallKind = 'register' | 'list' | 'other'

/** An account whose runners are listed again and again. */
export type Polled = {
  /** The runners in its last list. */
  readonly living: number
  /** The calls that one list takes. */
  readonly pages: number
}

const callsMax = 1_000
const windowMs = 3_600_000
/** A runner needs a registration, a cordon and a removal. */
const callsPerRunner = 3
const callsPerLivingRunner = 2
/** Calls that lists may use although registrations may not. */
const keptForLists = 60
/** Calls that cordons and removals may use although lists may not. */
const keptForEnds = 40

export class CallBudget {
  readonly #calls: { readonly at: Instant; readonly isList: boolean }[] = []
  /** The user's accounts that are polled. */
  readonly #polled = new Map<object, Polled>()
  #heldUntil: Instant = 0

  /** Records a polled account; undefined: it is no longer polled. */
  polled(account: object, polled: Polled | undefined): void {
    if (polled) this.#polled.set(account, polled)
    else this.#polled.delete(account)
  }

  /** Returns the calls that are left at this moment. */
  remaining(now: Instant): number {
    while (this.#calls[0] !== undefined && this.#calls[0].at <= now - windowMs) this.#calls.shift()
    return callsMax - this.#calls.length
  }

  /** Takes one call, or returns why and until when it must wait. A call that fails still counts: Bitbucket may have counted it. */
  take(kind: CallKind, now: Instant): ForgeLimit | undefined {
    const limit = this.#limitOf(kind, now)
    if (!limit) this.#calls.push({ at: now, isList: kind === 'list' })
    return limit
  }

  /** Makes no call before the time for which Bitbucket asked. */
  hold(until: Instant): void {
    this.#heldUntil = Math.max(this.#heldUntil, until)
  }

  /** Returns how many runners may be registered now, with the calls that their lives will need. */
  registrations(now: Instant): { readonly now: number; readonly limit: ForgeLimit | undefined } {
    const limit = this.#limitOf('register', now)
    return { now: limit ? 0 : Math.floor(this.#roomForRunners(now) / callsPerRunner), limit }
  }

  /** Returns the time between two lists: the calls that the runners need are left out, and the polled accounts share the rest. */
  pollMs(policy: PollPolicy, now: Instant): number {
    this.remaining(now)
    const others = this.#calls.filter(({ isList }) => !isList).length
    const free = callsMax - others - this.#livingCalls() - keptForLists
    let pages = 0
    for (const polled of this.#polled.values()) pages += polled.pages
    const rounds = Math.max(1, free) / Math.max(1, pages)
    return Math.min(policy.mostMs, Math.max(policy.leastMs, windowMs / rounds))
  }

  #livingCalls(): number {
    let living = 0
    for (const polled of this.#polled.values()) living += polled.living
    return callsPerLivingRunner * living
  }

  #roomForRunners(now: Instant): number {
    return this.remaining(now) - this.#livingCalls() - keptForLists
  }

  #limitOf(kind: CallKind, now: Instant): ForgeLimit | undefined {
    if (this.#heldUntil > now) return { reason: 'asked', until: this.#heldUntil }
    const room = {
      register: () => this.#roomForRunners(now) - callsPerRunner,
      list: () => this.remaining(now) - keptForEnds - 1,
      other: () => this.remaining(now) - 1,
    }[kind]()
    if (room >= 0) return undefined
    // So many of the oldest calls must leave the window first. Living runners may need more than that.
    const oldest = this.#calls[Math.min(-room, this.#calls.length) - 1]
    return { reason: 'budget', until: (oldest?.at ?? now) + windowMs }
  }
}

/** The budgets of the credentials of one process. Accounts with the same credential share one. */
export class CallBudgets {
  readonly #budgets = new Map<string, CallBudget>()

  of(credential: BitbucketCredential): CallBudget {
    const key = JSON.stringify(credential)
    const known = this.#budgets.get(key)
    if (known) return known
    const budget = new CallBudget()
    this.#budgets.set(key, budget)
    return budget
  }
}
