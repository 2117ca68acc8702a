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
  /** The core's own. A checkpoint does not store it: the next process builds it from lists. */
  state: SetState
  readonly memory: {
    set: RunnerSet
    /** Random parts of names that no runner has yet. */
    readonly ids: string[]
    names: number
    lastTick: Instant
    /** Grows with each process. The calls of an earlier one end without an outcome. */
    term: number
    isUp: boolean
    /** Whether the watch of pods works. */
    isWatching: boolean
    /** The status that was written last: a new process begins with it. */
    status: SetStatus | undefined
    journaled: number
  }

  constructor(set: RunnerSet, context: Context) {
    this.#context = context
    this.state = newSetState(set)
    const process = { term: 0, isUp: false, isWatching: false, status: undefined }
    this.memory = { set, ids: [], names: 0, lastTick: 0, journaled: 0, ...process }
    this.#alarm = new Alarm(context.queue, () => this.#tick())
  }

  get set(): RunnerSet {
    return this.memory.set
  }

  /** A checkpoint stores these. */
  get memories(): readonly object[] {
    return [this.memory, this.#alarm.memory]
  }

  /** A new process begins with the stored status and a complete list of pods. */
  start(pods: Extract<Input, { kind: 'pods-listed' }>['pods']): void {
    this.state = newSetState(this.memory.set, this.memory.status ?? {})
    this.memory.term++
    this.memory.isUp = true
    this.memory.isWatching = true
    this.take({ kind: 'pods-listed', pods, askedAt: this.#context.queue.now() })
    this.take({ kind: 'term-began' })
  }

  /** The process dies between two instructions. */
  stop(): void {
    this.memory.term++
    this.memory.isUp = false
    this.memory.isWatching = false
  }

  take(input: Input): void {
    if (!this.memory.isUp) return
    this.#fold(input)
    this.#wake()
  }

  change(set: RunnerSet): void {
    this.memory.set = set
    this.take({ kind: 'set-changed', set })
  }

  #wake(): void {
    this.#alarm.at(Math.max(this.#context.queue.now(), this.memory.lastTick + spacingMs))
  }

  #tick(): void {
    if (!this.memory.isUp) return
    const { queue, costs, allowance, begin } = this.#context
    const now: Instant = queue.now()
    this.memory.lastTick = now
    while (this.memory.ids.length < limits.startsPerTick) this.memory.ids.push(idOf(this.memory.names++))
    const began = costs.begin('decide')
    const decision = decide(worldOf(this.state, { allowance: allowance() }, limits, now), limits, now, this.memory.ids)
    costs.end('decide', began)
    this.#fold({ kind: 'decided', decision })
    if (decision.marks.length > 0) this.#wake()
    for (const { kind } of decision.actions) if (kind === 'start-runner') this.memory.ids.shift()
    begin(decision.actions, this.memory.term)
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
    this.memory.journaled += events.length
  }
}
