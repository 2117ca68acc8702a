import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { phaseOf } from '../../core/phase.ts'
import { runnerPrefix } from '../../core/pod.ts'
import { job, limits, podFacts, registration, runnerSet } from '../../core/world-fixture.ts'
import { seededRandom } from '../../lib/random.ts'
import { type PodFacts, phases } from '../../model/runner.ts'
import { SetCache } from './set-cache.ts'

const set = runnerSet()
const prefix = runnerPrefix(set)
const noAllowance = { now: 0, nextAt: undefined }

function newCache(): SetCache {
  return new SetCache({ set, limits, random: seededRandom(1), journal: () => {} })
}

type Truth = { readonly pods: Map<string, PodFacts>; readonly registered: Set<string> }
const kinds = ['create', 'start', 'end', 'remove', 'job', 'finish', 'delete', 'relist', 'list-registrations'] as const
type Step = { readonly do: (typeof kinds)[number]; readonly runner: number }

const names = Array.from({ length: 6 }, (_, index) => `${prefix}r${index}`)

/** What the cluster does, told to a cache as a watch would tell it. */
function apply(cache: SetCache, truth: Truth, step: Step, at: number): void {
  const name = names[step.runner]!
  const pod = truth.pods.get(name)
  if (step.do === 'relist') cache.podsListed(new Map(truth.pods), at, at)
  else if (step.do === 'list-registrations') cache.registrationsListed(listed(truth), at)
  else if (step.do === 'create' && !pod) {
    truth.registered.add(name)
    put(cache, truth, name, podFacts({ uid: `${name}-${at}`, createdAt: at }), at)
  } else if (pod) change(cache, truth, { name, pod, what: step.do }, at)
}

function listed(truth: Truth) {
  return [...truth.registered].map((name) => registration(name))
}

type PodChange = { readonly name: string; readonly pod: PodFacts; readonly what: Step['do'] }

function change(cache: SetCache, truth: Truth, { name, pod, what }: PodChange, at: number): void {
  const end = pod.end ?? { exitCode: 0, reason: 'Completed', at }
  if (what === 'start') put(cache, truth, name, { ...pod, startedAt: pod.startedAt ?? at, phase: 'Running' }, at)
  if (what === 'end') put(cache, truth, name, { ...pod, end }, at)
  if (what === 'delete') put(cache, truth, name, { ...pod, deletionDeadline: pod.deletionDeadline ?? at + 1_000 }, at)
  if (what === 'job') cache.jobStarted(name, { ...job, id: `j-${name}`, startedAt: at }, at)
  if (what === 'finish') cache.jobFinished(name, `j-${name}`, 'succeeded', at)
  if (what === 'remove') {
    truth.pods.delete(name)
    cache.podGone(name, at)
  }
}

function put(cache: SetCache, truth: Truth, name: string, facts: PodFacts, at: number): void {
  truth.pods.set(name, facts)
  cache.podSeen(name, facts, at)
}

const steps = fc.array(fc.record({ do: fc.constantFrom(...kinds), runner: fc.nat(names.length - 1) }), {
  maxLength: 60,
})

/** The counts, from every runner anew. */
function recounted(cache: SetCache) {
  const counts: Record<string, number> = Object.fromEntries(phases.map((phase) => [phase, 0]))
  for (const name of cache.table.names()) counts[phaseOf(cache.table.get(name)!)]! += 1
  return counts
}

describe('the caches of a set', () => {
  it('hold after any sequence of events what complete lists build anew', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const cache = newCache()
        const truth: Truth = { pods: new Map(), registered: new Set() }
        let at = 1_000_000
        cache.podsListed(new Map(), at, at)
        for (const step of sequence) apply(cache, truth, step, ++at)
        apply(cache, truth, { do: 'relist', runner: 0 }, ++at)
        const fresh = newCache()
        fresh.podsListed(new Map(truth.pods), at, at)
        // What only the forge has told is carried over, as a new leader hears it again.
        for (const name of truth.pods.keys()) {
          const job = cache.table.get(name)?.job
          if (job) fresh.jobStarted(name, { ...job, finished: undefined }, at)
          if (job?.finished) fresh.jobFinished(name, job.id, job.finished.result, at)
        }
        const living = (from: SetCache) => {
          const { lost: _lost, ...counts } = from.table.counts()
          return counts
        }
        expect(living(cache)).toEqual(living(fresh))
        expect(cache.table.counts()).toEqual(recounted(cache))
        for (const name of truth.pods.keys()) expect(cache.table.get(name)?.pod).toMatchObject({ is: 'present' })
      }),
      { numRuns: 500, seed: 42 },
    )
  })

  it('counts what was asked for before any watch has seen it, and never twice', () => {
    const cache = newCache()
    cache.podsListed(new Map(), 1_000, 1_000)
    cache.asked(`${prefix}a`, 2_000)
    expect(cache.table.counts().starting).toBe(1)
    cache.podsListed(new Map(), 3_000, 3_000)
    expect(cache.table.counts().starting).toBe(1)
    cache.podSeen(`${prefix}a`, podFacts(), 4_000)
    cache.podSeen(`${prefix}a`, podFacts(), 5_000)
    expect(cache.table.counts().starting).toBe(1)
  })

  it('does not let a list that was asked for before a write undo the write', () => {
    const cache = newCache()
    cache.podSeen(`${prefix}a`, podFacts(), 5_000)
    cache.podsListed(new Map(), 4_000, 6_000)
    expect(cache.table.counts().starting).toBe(1)
    cache.podsListed(new Map(), 7_000, 7_000)
    expect(cache.table.counts()).toMatchObject({ starting: 0, lost: 1 })
  })

  it('does not take the last words of a watch about a pod it has seen the end of for a new runner', () => {
    const cache = newCache()
    const name = `${prefix}a`
    const facts = podFacts({ startedAt: 500, end: { exitCode: 0, reason: 'Completed', at: 900 } })
    cache.podSeen(name, facts, 1_000)
    cache.forget(name, 2_000)
    cache.podSeen(name, { ...facts, deletionDeadline: 2_000 }, 2_001)
    expect([...cache.table.names()]).toEqual([])
    cache.podGone(name, 2_002)
    expect([...cache.table.names()]).toEqual([])
  })

  it('owes the forge a registration whose pod vanished, and leaves foreign ones alone', () => {
    const cache = newCache()
    cache.registrationsListed([registration(`${prefix}lost`), registration('somebody-elses')], 1_000)
    expect(cache.debts.all().map((debt) => debt.registration.name)).toEqual([`${prefix}lost`])
  })

  it('doubts one empty answer after one that was not', () => {
    const cache = newCache()
    const name = `${prefix}a`
    cache.podSeen(name, podFacts({ startedAt: 500 }), 1_000)
    cache.registrationsListed([registration(name)], 2_000)
    cache.registrationsListed([], 3_000)
    expect(cache.table.get(name)?.registration.is).toBe('present')
    cache.registrationsListed([], 4_000)
    expect(cache.table.get(name)?.registration.is).toBe('absent')
  })

  it('makes the demand unknown when the forge fails, and known again when it tells', () => {
    const cache = newCache()
    cache.demandTold({ kind: 'assigned', jobs: 3 }, 1_000, 1_000)
    cache.forge.failing({ reason: 'forge-unreachable', message: 'no answer' }, 2_000)
    expect(cache.world(3_000, noAllowance)).toMatchObject({
      demand: { known: false },
      forgeFailure: { reason: 'forge-unreachable' },
    })
    cache.demandTold({ kind: 'assigned', jobs: 3 }, 4_000, 4_000)
    expect(cache.world(5_000, noAllowance)).toMatchObject({ demand: { known: true }, forgeFailure: undefined })
  })

  it('takes into its attention only what changed or is due', () => {
    const cache = newCache()
    for (const name of names) cache.podSeen(name, podFacts(), 1_000)
    expect(cache.world(2_000, noAllowance).attention).toHaveLength(names.length)
    expect(cache.world(2_001, noAllowance).attention).toEqual([])
    cache.table.lookAgain(names[2]!, 5_000)
    expect(cache.world(4_999, noAllowance).attention).toEqual([])
    expect(cache.world(5_000, noAllowance).attention.map(({ name }) => name)).toEqual([names[2]])
  })
})
