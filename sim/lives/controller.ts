// The controller of one set without its I/O: it folds inputs and decides, when and as packages/controller/src/set-worker.ts does.
import type { Instant } from '@dayfly/kit/clock'
import { decide } from '@dayfly/runner-set/core/decide'
import { fold } from '@dayfly/runner-set/core/state/fold'
import { newSetState, type SetState, worldOf } from '@dayfly/runner-set/core/state/set-state'
import type { Action } from '@dayfly/runner-set/model/action'
import type { Input } from '@dayfly/runner-set/model/input'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { SetStatus } from '@dayfly/runner-set/model/status'
import type { SetWorld } from '@dayfly/runner-set/model/world'
import type { Costs } from './costs.ts'
import { Alarm, type EventQueue } from './event-queue.ts'
import { idOf } from './names.ts'

type Context = {
  readonly queue: EventQueue
  readonly costs: Costs
  readonly allowance: () => SetWorld['allowance']
  readonly begin: (actions: readonly Action[], term: number) => void
}

const spacingMs = 50
const limits = defaultLimits

export class Controller {
  readonly #context: Context
  readonly #alarm: Alarm
  readonly #ids: string[] = []
  #names = 0
  #lastTick = Number.NEGATIVE_INFINITY
  #set: RunnerSet
  state: SetState
  /** Grows with each process. What an earlier one began ends without an outcome. */
  term = 0
  isUp = false
  /** Whether the watch of pods works. */
  isWatching = false
  /** The status that was written last: a new process begins with it. */
  status: SetStatus | undefined
  journaled = 0

  constructor(set: RunnerSet, context: Context) {
    this.#context = context
    this.#set = set
    this.state = newSetState(set)
    this.#alarm = new Alarm(context.queue, () => this.#tick())
  }

  get set(): RunnerSet {
    return this.#set
  }

  /** A new process begins with the stored status and a complete list of pods. */
  start(pods: Extract<Input, { kind: 'pods-listed' }>['pods']): void {
    this.state = newSetState(this.#set, this.status ?? {})
    this.term++
    this.isUp = true
    this.isWatching = true
    this.take({ kind: 'pods-listed', pods, askedAt: this.#context.queue.now() })
    this.take({ kind: 'term-began' })
  }

  /** The process dies between two instructions. */
  stop(): void {
    this.term++
    this.isUp = false
    this.isWatching = false
  }

  take(input: Input): void {
    if (!this.isUp) return
    this.#fold(input)
    this.#wake()
  }

  change(set: RunnerSet): void {
    this.#set = set
    this.take({ kind: 'set-changed', set })
  }

  #wake(): void {
    this.#alarm.at(Math.max(this.#context.queue.now(), this.#lastTick + spacingMs))
  }

  #tick(): void {
    if (!this.isUp) return
    const { queue, costs, allowance, begin } = this.#context
    const now: Instant = queue.now()
    this.#lastTick = now
    while (this.#ids.length < limits.startsPerTick) this.#ids.push(idOf(this.#names++))
    const began = costs.begin('decide')
    const decision = decide(worldOf(this.state, allowance(), limits, now), limits, now, this.#ids)
    costs.end('decide', began)
    this.#fold({ kind: 'decided', decision })
    if (decision.marks.length > 0) this.#wake()
    for (const { kind } of decision.actions) if (kind === 'start-runner') this.#ids.shift()
    begin(decision.actions, this.term)
    const next = Math.min(
      decision.wakeAt ?? Number.POSITIVE_INFINITY,
      this.state.table.nextDue() ?? Number.POSITIVE_INFINITY,
    )
    if (next < Number.POSITIVE_INFINITY) this.#alarm.at(Math.max(next, now + spacingMs))
  }

  #fold(input: Input): void {
    const { costs, queue } = this.#context
    const kind = costs.kindOf(input)
    const began = costs.begin(kind)
    const events = fold(this.state, input, limits, queue.now())
    costs.end(kind, began)
    this.journaled += events.length
  }
}
