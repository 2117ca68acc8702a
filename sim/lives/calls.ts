// Carries out the actions of one set: each call takes its time, may fail, and is answered once. At most so many run beside each other as in packages/controller/src/act/act.ts.
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { trialPod } from '@dayfly/runner-set/core/template'
import type { Action } from '@dayfly/runner-set/model/action'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { DeregisterOutcome, Outcome, StartOutcome, Unsuccessful } from '@dayfly/runner-set/model/outcome'
import type { PodFacts, Registration } from '@dayfly/runner-set/model/runner'
import { carriedOut, listedMs } from './answers.ts'
import type { Cluster } from './cluster.ts'
import type { Controller } from './controller.ts'
import { type EventQueue, Parcels } from './event-queue.ts'
import type { Forge } from './forge.ts'
import { type Lives, podIs } from './lives.ts'
import { lifeOf } from './names.ts'
import type { Promises } from './promises.ts'
import { between } from './random.ts'
import type { Weather } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly random: Random
  readonly weather: Weather
  readonly promises: Promises
  readonly lives: Lives
  readonly cluster: Cluster
  readonly forge: Forge
  readonly controller: Controller
}

/** An action under way. @param life undefined if nothing is left of its runner */
type Flight = {
  readonly action: Action
  readonly term: number
  readonly decidedAt: Instant
  readonly life: number | undefined
  step: 'register' | 'pod' | 'secret'
}

type Answer = { readonly flight: Flight; readonly outcome: Outcome }

const atOnce = 128
const latencyMs = [3, 60] as const
const unreachable: Failure = { reason: 'api-unavailable', message: 'no response' }
const forgeDown: Failure = { reason: 'forge-unreachable', message: 'no response' }

export class Calls {
  readonly #context: Context
  readonly #flights = new Parcels<Flight>()
  readonly #answers = new Parcels<Answer>()
  readonly #arrive: number
  readonly #answer: number
  readonly memory = {
    waiting: [] as Flight[],
    underway: 0,
    started: 0,
    /** Whether the API server answers. */
    isApiUp: true,
    /** Whether the forge's next list is empty although it is not. */
    nextListIsEmpty: false,
  }

  constructor(context: Context) {
    this.#context = context
    this.#arrive = context.queue.handler((place) => this.#perform(this.#flights.take(place)))
    this.#answer = context.queue.handler((place) => this.#answered(this.#answers.take(place)))
  }

  /** A checkpoint stores these. */
  get memories(): readonly object[] {
    return [this.memory, this.#flights.memory, this.#answers.memory]
  }

  begin(actions: readonly Action[], term: number): void {
    const decidedAt = this.#context.queue.now()
    for (const action of actions) {
      const flight: Flight = { action, term, decidedAt, life: this.#lifeOf(action), step: 'register' }
      if (flight.life !== undefined && action.kind !== 'start-runner') this.#context.lives.hold(flight.life)
      if (isOfSet(action)) this.#send(flight)
      else this.memory.waiting.push(flight)
    }
    this.#next()
  }

  /** The process died: what waited for its turn is never sent. */
  drop(): void {
    const { lives } = this.#context
    for (const { life } of this.memory.waiting) if (life !== undefined) lives.release(life)
    this.memory.waiting = []
  }

  #lifeOf(action: Action): number | undefined {
    const { lives, promises, weather, queue } = this.#context
    if (action.kind === 'drop-registration') return lives.find(action.registration.name)
    if (!('runner' in action)) return undefined
    if (action.kind !== 'start-runner') return lives.find(action.runner)
    const number = lifeOf(action.runner)
    if (number < this.memory.started) promises.broke('used-once', `the name ${action.runner} comes twice`)
    this.memory.started = Math.max(this.memory.started, number + 1)
    const life = lives.begin(action.runner)
    if (life === undefined) throw new Error(`${lives.size} lives are in the table: too much is left of ended ones`)
    lives.fate[life] = weather.fate(queue.now())
    return life
  }

  /** Sends waiting actions while there is room. */
  #next(): void {
    let sent = 0
    while (this.memory.underway < atOnce && sent < this.memory.waiting.length) {
      const flight = this.memory.waiting[sent++]
      if (!flight) break
      this.memory.underway++
      this.#send(flight)
    }
    if (sent > 0) this.memory.waiting = this.memory.waiting.slice(sent)
  }

  #send(flight: Flight): void {
    const { queue, random } = this.#context
    queue.after(between(random, ...latencyMs), this.#arrive, this.#flights.put(flight))
  }

  /** The request reaches the server, which carries it out at this moment. The watch may show that before the answer comes. */
  #perform(flight: Flight): void {
    const { queue, random } = this.#context
    const outcome = this.#outcomeOf(flight)
    const ms = random() < 0.5 ? 0 : between(random, ...latencyMs)
    queue.after(ms + listedMs(outcome), this.#answer, this.#answers.put({ flight, outcome }))
  }

  #answered({ flight, outcome }: Answer): void {
    const { controller, lives } = this.#context
    const isHeard = controller.memory.isUp && flight.term === controller.memory.term
    if (isHeard) controller.take({ kind: 'outcome', outcome })
    if (isHeard && outcome.action === 'start-runner' && goesOn(outcome.result)) {
      flight.step = outcome.result.is === 'registered' ? 'pod' : 'secret'
      this.#send(flight)
      return
    }
    if (flight.life !== undefined) lives.release(flight.life)
    if (isOfSet(flight.action)) return
    this.memory.underway--
    this.#next()
  }

  #outcomeOf(flight: Flight): Outcome {
    const { action, life, decidedAt } = flight
    switch (action.kind) {
      case 'start-runner':
        return { action: action.kind, runner: action.runner, result: this.#start(flight, life ?? 0) }
      case 'deregister-runner':
        return { action: action.kind, runner: action.runner, result: this.#deregister(life, action.registration) }
      case 'drop-registration': {
        const { registration } = action
        return { action: action.kind, name: registration.name, result: this.#deregister(life, registration) }
      }
      case 'delete-runner': {
        const { uid, resourceVersion } = action.pod
        const result = this.#call(() => ({ is: this.#delete(life, uid, resourceVersion) }) as const)
        return { action: action.kind, runner: action.runner, result }
      }
      case 'look-up-pod':
        return { action: action.kind, runner: action.runner, result: this.#call(() => presence(this.#facts(life))) }
      case 'look-up-secret': {
        const isThere = life !== undefined && this.#context.lives.secret[life] === 1
        return {
          action: action.kind,
          runner: action.runner,
          result: this.#call(() => ({ is: isThere ? 'present' : 'absent' }) as const),
        }
      }
      case 'explain-runner':
        return {
          action: action.kind,
          runner: action.runner,
          result: this.#call(() => ({ is: 'explained', cause: undefined }) as const),
        }
      case 'cordon-runner':
        throw new Error('GitHub has no cordon')
      case 'ask-run':
        throw new Error('no set of the lives repeats jobs')
      default:
        return this.#ofSet(action, decidedAt)
    }
  }

  #ofSet(
    action: Extract<Action, { kind: 'check-template' | 'list-registrations' | 'report' }>,
    decidedAt: Instant,
  ): Outcome {
    const { controller, forge } = this.#context
    switch (action.kind) {
      case 'check-template': {
        const accept = () => ({ is: 'accepted', stored: trialPod(controller.set).spec }) as const
        return { action: action.kind, hash: action.hash, result: this.#call(accept) }
      }
      case 'list-registrations': {
        const registrations = this.memory.nextListIsEmpty ? [] : forge.list()
        this.memory.nextListIsEmpty = false
        const list = () => ({ is: 'listed', registrations, askedAt: decidedAt }) as const
        return { action: action.kind, result: this.#forgeCall(list) }
      }
      case 'report': {
        const result = this.#call(() => {
          controller.memory.status = action.status
          return { is: 'written' } as const
        })
        return { action: action.kind, status: action.status, result }
      }
    }
  }

  #start(flight: Flight, life: number): StartOutcome {
    const { lives, cluster, forge, weather, queue, controller } = this.#context
    const { step } = flight
    if (step === 'register') {
      if (weather.strikes(queue.now(), 0.000_1)) return { is: 'limited', until: queue.now() + 3_000 }
      const result = this.#forgeCall(() => ({ is: 'registered', registration: forge.register(life) }) as const)
      return result.is === 'registered' ? result : { ...result, step }
    }
    if (step === 'pod') {
      if (weather.strikes(queue.now(), 0.000_005)) {
        const failure: Failure = { reason: 'quota-exceeded', message: 'exceeded quota: pods' }
        return { is: 'refused', failure, retryAt: undefined, step }
      }
      const result = this.#call(() => {
        const registrationId = lives.registration[life]?.id ?? ''
        const pod = cluster.createPod(life, { registrationId, templateHash: controller.state.templateHash })
        this.#checkCeiling()
        return { is: 'pod-created', pod } as const
      })
      return result.is === 'pod-created' ? result : { ...result, step }
    }
    const result = this.#call(() => {
      if (lives.pod[life] !== podIs.absent) lives.secret[life] = 1
      return { is: 'secret-created' } as const
    })
    return result.is === 'secret-created' ? result : { ...result, step }
  }

  #checkCeiling(): void {
    const { cluster, controller, promises } = this.#context
    const { max } = controller.set.scale
    if (cluster.memory.living > max)
      promises.broke('ceiling', `${cluster.memory.living} pods live, and the maximum is ${max}`)
  }

  /** The Secret goes first, then the pod. */
  #delete(life: number | undefined, uid: string, version: string | undefined) {
    const { lives, cluster } = this.#context
    if (life !== undefined) lives.secret[life] = 0
    return cluster.delete(life, uid, version)
  }

  #deregister(life: number | undefined, { id }: Registration): DeregisterOutcome {
    return this.#forgeCall(() => ({ is: this.#context.forge.deregister(life, id) }))
  }

  #facts(life: number | undefined): PodFacts | undefined {
    const { lives } = this.#context
    return life === undefined || lives.pod[life] === podIs.absent ? undefined : lives.facts[life]
  }

  #call<Done>(carryOut: () => Done): Done | Unsuccessful {
    const { weather, queue } = this.#context
    const fate = this.memory.isApiUp ? weather.call(queue.now()) : 'lost-before'
    return carriedOut(fate, carryOut, { failure: unreachable, now: queue.now() })
  }

  #forgeCall<Done>(carryOut: () => Done): Done | Unsuccessful {
    const { weather, queue, forge } = this.#context
    const fate = forge.memory.isUp ? weather.call(queue.now()) : 'lost-before'
    return carriedOut(fate, carryOut, { failure: forgeDown, now: queue.now() })
  }
}

function presence(pod: PodFacts | undefined) {
  return pod ? ({ is: 'present', pod } as const) : ({ is: 'absent' } as const)
}

function isOfSet({ kind }: Action): boolean {
  return kind === 'check-template' || kind === 'list-registrations' || kind === 'report'
}

function goesOn({ is }: StartOutcome): boolean {
  return is === 'registered' || is === 'pod-created'
}
