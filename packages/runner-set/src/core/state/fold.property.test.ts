import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Input } from '../../model/input.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Counts, type PodFacts, phases } from '../../model/runner.ts'
import { runnerPrefix } from '../../model/runner-names.ts'
import { decide } from '../decide.ts'
import { isUnproved, occupies, phaseOf } from '../phase.ts'
import { ids, limits, podFacts, registration, runnerSet, startsIn } from '../world.fixture.ts'
import { fold } from './fold.ts'
import { newSetState, type SetState, worldOf } from './set-state.ts'

const set = runnerSet({ scale: { min: 1, max: 6 } })
const names = Array.from({ length: 6 }, (_, index) => `${runnerPrefix(set)}r${index}`)
const kinds = [
  'create',
  'start',
  'end',
  'remove',
  'delete',
  'job',
  'finish',
  'demand',
  'fail',
  'list',
  'list-registrations',
  'tick',
  'outcome',
  'stale',
  'term',
  'template',
] as const

type Step = {
  readonly do: (typeof kinds)[number]
  readonly runner: number
  readonly wait: number
  readonly answer: number
}

const steps = fc.array(
  fc.record({
    do: fc.constantFrom(...kinds),
    runner: fc.nat(names.length - 1),
    wait: fc.constantFrom(1, 40, 1_000, 61_000, 150_000),
    answer: fc.nat(5),
  }),
  { maxLength: 80 },
)

/** A cluster and a forge, whose changes reach the state as inputs. */
class Truth {
  readonly pods = new Map<string, PodFacts>()
  readonly registered = new Set<string>()
  readonly underway: ((answer: number) => Outcome)[] = []
  readonly state: SetState = newSetState(set)
  now = 1_800_000_000_000

  take(input: Input): void {
    fold(this.state, input, limits, this.now)
  }

  play({ do: what, runner, wait, answer }: Step): void {
    this.now += wait
    const name = names[runner] ?? ''
    const pod = this.pods.get(name)
    const at = this.now
    const job = { id: `j-${name}`, name: '', repository: '' }
    const play: Readonly<Record<Step['do'], () => void>> = {
      create: () => pod ?? this.create(name),
      start: () => pod && this.see(name, { ...pod, startedAt: pod.startedAt ?? at }),
      end: () =>
        pod && this.see(name, { ...pod, end: pod.end ?? { exitCode: answer % 2, reason: 'x', at }, finished: true }),
      delete: () => pod && this.see(name, { ...pod, deletionDeadline: pod.deletionDeadline ?? at + 1_000 }),
      remove: () => pod && this.vanish(name, pod),
      job: () =>
        this.take({ kind: 'forge-event', event: { kind: 'job-started', runner: name, job, at, queuedAt: at } }),
      finish: () =>
        this.take({
          kind: 'forge-event',
          event: { kind: 'job-finished', runner: name, jobId: job.id, result: 'x', at },
        }),
      demand: () =>
        this.take({ kind: 'forge-event', event: { kind: 'demand', demand: { kind: 'assigned', jobs: answer }, at } }),
      fail: () => this.take({ kind: 'forge-failed', failure: { reason: 'forge-unreachable', message: 'x' } }),
      list: () => this.list(),
      'list-registrations': () => this.listRegistrations(),
      tick: () => this.tick(),
      outcome: () => this.answer(answer),
      stale: () => this.take({ kind: 'pods-stale', since: at, why: 'x' }),
      term: () => this.beginTerm(),
      template: () => this.take({ kind: 'set-changed', set: { ...set, keepFailedMs: answer * 1_000 } }),
    }
    play[what]()
  }

  list(): void {
    this.take({ kind: 'pods-listed', pods: new Map(this.pods), askedAt: this.now })
  }

  private create(name: string): void {
    this.registered.add(name)
    this.see(name, podFacts({ uid: `${name}-${this.now}`, createdAt: this.now, progressedAt: this.now }))
  }

  private see(name: string, pod: PodFacts): void {
    this.pods.set(name, pod)
    this.take({ kind: 'pod-seen', name, pod })
  }

  private vanish(name: string, last: PodFacts): void {
    this.pods.delete(name)
    this.take({ kind: 'pod-gone', name, last })
  }

  private beginTerm(): void {
    this.underway.length = 0
    this.take({ kind: 'term-began' })
  }

  private listRegistrations(): void {
    const registrations = [...this.registered].map((name) => registration(name))
    const result = { is: 'listed', registrations, askedAt: this.now } as const
    this.take({ kind: 'outcome', outcome: { action: 'list-registrations', result } })
  }

  private tick(): void {
    const world = worldOf(this.state, { allowance: { now: 9, nextAt: undefined } }, limits, this.now)
    const unused = names.filter((name) => !this.pods.has(name) && !this.state.table.get(name))
    const free = unused.map((name) => name.slice(runnerPrefix(set).length))
    const decision = decide(world, limits, this.now, free)
    this.take({ kind: 'decided', decision })
    for (const action of decision.actions) {
      if ('runner' in action) this.underway.push((answer) => this.outcomeOf(action.kind, action.runner, answer))
    }
  }

  private answer(answer: number): void {
    const outcome = this.underway.shift()?.(answer)
    if (outcome) this.take({ kind: 'outcome', outcome })
  }

  /** An outcome that fits the truth, or a failure. */
  private outcomeOf(action: string, runner: string, answer: number): Outcome {
    const pod = this.pods.get(runner)
    const failed = {
      is: answer === 0 ? 'refused' : 'lost-answer',
      failure: { reason: 'api-unavailable', message: 'x' },
      retryAt: undefined,
    } as const
    if (action === 'deregister-runner') {
      if (answer < 2) return { action, runner, result: failed }
      const is = answer === 2 ? 'busy' : this.registered.delete(runner) ? 'removed' : 'absent'
      return { action, runner, result: { is } }
    }
    if (action === 'delete-runner') {
      if (answer < 2) return { action, runner, result: failed }
      if (pod && answer === 2) return { action, runner, result: { is: 'deleting' } }
      this.pods.delete(runner)
      return { action, runner, result: { is: 'deleted' } }
    }
    if (action === 'look-up-pod') return { action, runner, result: pod ? { is: 'present', pod } : { is: 'absent' } }
    if (action === 'explain-runner') return { action, runner, result: { is: 'explained', cause: undefined } }
    return { action: 'start-runner', runner, result: { ...failed, step: answer % 2 ? 'pod' : 'register' } }
  }
}

/** The counts, from every runner. */
function recounted(state: SetState): Counts {
  const runners = [...state.table.all()]
  const of = (phase: (typeof phases)[number]) => runners.filter((runner) => phaseOf(runner) === phase).length
  const byPhase = Object.fromEntries(phases.map((phase) => [phase, of(phase)])) as Record<
    (typeof phases)[number],
    number
  >
  return {
    ...byPhase,
    occupied: runners.filter(occupies).length,
    unproved: runners.filter(isUnproved).length,
    requested: runners.filter(({ pod }) => pod.is === 'requested').length,
  }
}

it('holds after any sequence of inputs what complete lists would build', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const truth = new Truth()
      truth.list()
      for (const step of sequence) {
        truth.play(step)
        expect(truth.state.table.counts()).toEqual(recounted(truth.state))
        const delayed = [...truth.state.table.all()].filter(({ delay }) => delay).length
        expect(truth.state.table.delays()?.count ?? 0).toBe(delayed)
      }
      // Requests without a response end with the term; then a complete list must find the truth.
      truth.play({ do: 'term', runner: 0, wait: 1, answer: 0 })
      truth.play({ do: 'list', runner: 0, wait: 1, answer: 0 })
      const built = new Truth()
      for (const [name, pod] of truth.pods) built.pods.set(name, pod)
      built.now = truth.now
      built.list()
      const facts = (from: Truth) =>
        [...from.state.table.all()].map(({ name, pod }) => [name, pod.is === 'present' && pod.value]).sort()
      expect(facts(truth)).toEqual(facts(built))
    }),
    { numRuns: 500, seed: 42 },
  )
})

it('never starts more runners than fit below max', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const truth = new Truth()
      truth.list()
      truth.play({ do: 'tick', runner: 0, wait: 1, answer: 0 })
      for (const step of sequence) {
        truth.play(step)
        const before = truth.state.table.counts().occupied
        const world = worldOf(truth.state, { allowance: { now: 9, nextAt: undefined } }, limits, truth.now)
        const starts = startsIn(decide(world, limits, truth.now, ids))
        expect(starts === 0 || before + starts <= set.scale.max).toBe(true)
      }
    }),
    { numRuns: 300, seed: 7 },
  )
})
