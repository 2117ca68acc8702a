// The changes that the time axes show: of the controller, of sets, and of the connection to a forge.
import type { Instant } from '@dayfly/kit/clock'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
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

  take({ at, event }: Entry): void {
    if ('namespace' in event) this.#takeOfSet(at, event)
    else if (event.kind === 'controller-started') {
      this.#startedAt = at
      this.#add(at, 'controller', null, `The controller ${event.identity} started.`)
    } else if (event.kind === 'leadership-gained') {
      this.#add(at, 'controller', null, `The controller ${event.identity} leads.`)
    } else if (event.kind === 'leadership-lost') {
      this.#add(at, 'controller', null, `The controller ${event.identity} leads no more: ${event.why}.`)
    }
  }

  #takeOfSet(at: Instant, event: Extract<JournalEvent, { readonly namespace: string }>): void {
    const set = `${event.namespace}/${event.set}`
    const seen = this.#sets.get(set) ?? unseen
    switch (event.kind) {
      case 'set-added':
        this.#sets.set(set, seen)
        if (this.#startedAt === undefined || at - this.#startedAt >= findingMs) {
          this.#add(at, 'set-added', set, `The set ${set} was added.`)
        }
        break
      case 'set-changed':
        this.#sets.set(set, { ...seen, paused: event.paused })
        this.#changed(at, set, seen.paused, event.paused)
        break
      case 'set-removed':
        this.#sets.delete(set)
        this.#add(at, 'set-removed', set, `The set ${set} was removed, or cannot be read.`)
        break
      case 'forge-failed':
        this.#forgeFailed(at, set, seen, event.failure)
        break
      case 'forge-connected':
      case 'demand-changed':
        this.#forgeWorks(at, set, seen)
        break
    }
  }

  #changed(at: Instant, set: string, before: boolean | null, paused: boolean): void {
    if (before === null || before === paused) this.#add(at, 'set-changed', set, `The set ${set} was changed.`)
    else if (paused) this.#add(at, 'set-paused', set, `The set ${set} was paused.`)
    else this.#add(at, 'set-resumed', set, `The set ${set} was resumed.`)
  }

  /** A difference of settings leaves the connection at work. */
  #forgeFailed(at: Instant, set: string, seen: SetSeen, { reason }: Failure): void {
    if (reason === 'forge-settings-differ') return
    this.#sets.set(set, { ...seen, forge: 'fails' })
    if (seen.forge === 'works') this.#add(at, 'forge', set, `The set ${set}: ${failureInfo(reason).sentence}`)
  }

  #forgeWorks(at: Instant, set: string, seen: SetSeen): void {
    if (seen.forge === 'works') return
    this.#sets.set(set, { ...seen, forge: 'works' })
    if (seen.forge === 'fails') this.#add(at, 'forge', set, `The set ${set} is connected to its forge again.`)
  }

  #add(at: Instant, kind: Mark['kind'], set: string | null, sentence: string): void {
    this.#marks.push({ at, kind, set, sentence })
    this.#bound()
  }

  #bound(): void {
    if (this.#marks.length > this.#most) this.#marks.splice(0, this.#marks.length - this.#most)
  }
}
