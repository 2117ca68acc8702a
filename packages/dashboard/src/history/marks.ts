// The changes that the time axes show: of the controller, of sets, and of the connection to a forge.
import type { Instant } from '@dayfly/kit/clock'
import type { Entry } from '@dayfly/runner-set/model/event'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import type { Mark } from '../model/life.ts'

/** A process that starts finds all sets within this time: they are not new. */
const findingMs = 30_000

type SetSeen = { readonly paused: boolean | null; readonly forge: 'unknown' | 'works' | 'fails' }

const unseen: SetSeen = { paused: null, forge: 'unknown' }

export class Marks {
  readonly #most: number
  readonly #marks: Mark[] = []
  readonly #sets = new Map<string, SetSeen>()
  #startedAt: Instant | undefined

  constructor(most: number) {
    this.#most = most
  }

  all(): readonly Mark[] {
    return this.#marks
  }

  /** Adds the marks of an earlier process before the present ones. */
  restore(marks: readonly Mark[]): void {
    this.#marks.unshift(...marks)
    this.#bound()
  }

  /** Notes whether a set was paused before its first change. */
  describe(set: string, paused: boolean): void {
    const before = this.#sets.get(set) ?? unseen
    this.#sets.set(set, { ...before, paused: before.paused ?? paused })
  }

  /** Returns whether the event is a new mark. */
  take({ at, event }: Entry): boolean {
    switch (event.kind) {
      case 'controller-started':
        this.#startedAt = at
        return this.#add(at, 'controller', null, `The controller ${event.identity} started.`)
      case 'leadership-gained':
        return this.#add(at, 'controller', null, `The controller ${event.identity} leads.`)
      case 'leadership-lost':
        return this.#add(at, 'controller', null, `The controller ${event.identity} leads no more: ${event.why}.`)
    }
    if (!('namespace' in event)) return false
    const set = `${event.namespace}/${event.set}`
    const seen = this.#sets.get(set) ?? unseen
    switch (event.kind) {
      case 'set-added':
        this.#sets.set(set, seen)
        if (this.#startedAt !== undefined && at - this.#startedAt < findingMs) return false
        return this.#add(at, 'set-added', set, `The set ${set} was added.`)
      case 'set-changed':
        this.#sets.set(set, { ...seen, paused: event.paused })
        return this.#changed(at, set, seen.paused, event.paused)
      case 'set-removed':
        this.#sets.delete(set)
        return this.#add(at, 'set-removed', set, `The set ${set} was removed, or cannot be read.`)
      case 'forge-failed':
        return this.#forgeFailed(at, set, seen, event.failure)
      case 'forge-connected':
      case 'demand-changed':
        return this.#forgeWorks(at, set, seen)
      default:
        return false
    }
  }

  #changed(at: Instant, set: string, before: boolean | null, paused: boolean): boolean {
    if (before === null || before === paused) return this.#add(at, 'set-changed', set, `The set ${set} was changed.`)
    return paused
      ? this.#add(at, 'set-paused', set, `The set ${set} was paused.`)
      : this.#add(at, 'set-resumed', set, `The set ${set} was resumed.`)
  }

  /** A difference of settings leaves the connection at work. */
  #forgeFailed(at: Instant, set: string, seen: SetSeen, { reason }: Failure): boolean {
    if (reason === 'forge-settings-differ') return false
    this.#sets.set(set, { ...seen, forge: 'fails' })
    return seen.forge === 'works' && this.#add(at, 'forge', set, `The set ${set}: ${failureInfo(reason).sentence}`)
  }

  #forgeWorks(at: Instant, set: string, seen: SetSeen): boolean {
    if (seen.forge === 'works') return false
    this.#sets.set(set, { ...seen, forge: 'works' })
    return seen.forge === 'fails' && this.#add(at, 'forge', set, `The set ${set} is connected to its forge again.`)
  }

  #add(at: Instant, kind: Mark['kind'], set: string | null, sentence: string): true {
    this.#marks.push({ at, kind, set, sentence })
    this.#bound()
    return true
  }

  #bound(): void {
    if (this.#marks.length > this.#most) this.#marks.splice(0, this.#marks.length - this.#most)
  }
}
