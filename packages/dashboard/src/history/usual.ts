// The median of each part of a set's last lives is the usual time. The timeline of a life marks each part that took much longer.
import type { Instant } from '@dayfly/kit/clock'
import type { TimelineStep } from '../model/details.ts'
import type { Life, LifeSteps } from '../model/life.ts'

type Name = TimelineStep['name']

/** The usual time of each part, by the steps that begin and end it. */
export type Usual = ReadonlyMap<string, number>

/** Steps that the journal does not know: the pod's own conditions and Events show them. */
export type ExtraSteps = {
  readonly scheduled?: Instant | null
  readonly pulled?: Instant | null
}

const livesMin = 5
const unusualTimes = 3
const unusualMs = 5_000

/** The order decides if two steps have one time. */
const names = [
  ['queued', 'queued'],
  ['registered', 'registered'],
  ['created', 'created'],
  ['started', 'started'],
  ['online', 'online'],
  ['jobStarted', 'assigned'],
  ['jobFinished', 'finished'],
  ['ended', 'ended'],
  ['gone', 'gone'],
] as const satisfies readonly (readonly [keyof LifeSteps, Name])[]
const order: readonly Name[] = [
  'queued',
  'registered',
  'created',
  'scheduled',
  'pulled',
  'started',
  'online',
  'assigned',
  'finished',
  'ended',
  'gone',
]
const extraNames: ReadonlySet<Name> = new Set<Name>(['scheduled', 'pulled'])

type Step = { readonly name: Name; readonly at: Instant }

/** @param lives the last lives of one set */
export function usualOf(lives: Iterable<Life>): Usual {
  const times = new Map<string, number[]>()
  for (const { steps } of lives) {
    for (const [key, ms] of partsOf(stepsOf(steps))) {
      const same = times.get(key)
      if (same) same.push(ms)
      else times.set(key, [ms])
    }
  }
  const enough = [...times].filter(([, all]) => all.length >= livesMin)
  return new Map(enough.map(([key, all]) => [key, medianOf(all)] as const))
}

/** Returns the steps of a life in their order, each with the time since the one before. */
export function timelineOf(life: Life, usual: Usual, extra: ExtraSteps = {}): readonly TimelineStep[] {
  const steps = inOrder([...stepsOf(life.steps), ...extraSteps(extra, life.steps)])
  const unusual = unusualSteps(steps, usual)
  return steps.map(({ name, at }, index) => {
    const before = steps[index - 1]
    return {
      name,
      at,
      tookMs: before ? at - before.at : null,
      usualMs: before ? (usual.get(keyOf(before.name, name)) ?? null) : null,
      unusual: unusual.has(name),
    }
  })
}

/** A part that extra steps divide is compared as a whole: the longest piece of it is marked. */
function unusualSteps(steps: readonly Step[], usual: Usual): ReadonlySet<Name> {
  const marked = new Set<Name>()
  let begin = 0
  for (let end = 1; end < steps.length; end++) {
    const [first, last] = [steps[begin], steps[end]]
    if (!first || !last || extraNames.has(last.name)) continue
    const usualMs = usual.get(keyOf(first.name, last.name))
    if (usualMs !== undefined && isUnusual(last.at - first.at, usualMs)) {
      const pieces = steps.slice(begin, end + 1)
      const took = (index: number) => (pieces[index]?.at ?? 0) - (pieces[index - 1]?.at ?? 0)
      let longest = 1
      for (let index = 2; index < pieces.length; index++) if (took(index) > took(longest)) longest = index
      marked.add(pieces[longest]?.name ?? last.name)
    }
    begin = end
  }
  return marked
}

function isUnusual(ms: number, usualMs: number): boolean {
  return ms > usualMs * unusualTimes && ms > usualMs + unusualMs
}

function stepsOf(steps: LifeSteps): readonly Step[] {
  return inOrder(
    names.flatMap(([key, name]) => {
      const at = steps[key]
      return at === null ? [] : [{ name, at }]
    }),
  )
}

/** The clock of a node may differ from ours: an extra step stays between its neighbours. */
function extraSteps({ scheduled, pulled }: ExtraSteps, steps: LifeSteps): readonly Step[] {
  const within = (name: Name, at: Instant | null | undefined, from: Instant | null, to: Instant | null) => {
    if (at === null || at === undefined) return []
    return [{ name, at: Math.min(Math.max(at, from ?? at), to ?? Number.POSITIVE_INFINITY) }]
  }
  return [
    ...within('scheduled', scheduled, steps.created, steps.started),
    ...within('pulled', pulled, scheduled ?? steps.created, steps.started),
  ]
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((one, next) => one.at - next.at || order.indexOf(one.name) - order.indexOf(next.name))
}

/** How long a runner waits before a job is queued says nothing about the runner. */
function partsOf(steps: readonly Step[]): readonly (readonly [string, number])[] {
  return steps.slice(1).flatMap(({ name, at }, index) => {
    const before = steps[index]
    return before && name !== 'queued' ? [[keyOf(before.name, name), at - before.at] as const] : []
  })
}

function keyOf(from: Name, to: Name): string {
  return `${from} > ${to}`
}

function medianOf(all: readonly number[]): number {
  const sorted = all.toSorted((one, next) => one - next)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}
