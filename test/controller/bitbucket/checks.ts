// The promises of Dayfly as checks of a world with two sets. They hold in every run, with any fault.
import type { Request } from '@dayfly/kit/http'
import { podNamed } from './node.ts'
import { type SetSpec, setName, statusOf, type World } from './world.ts'

/** The steps of each runner. */
type Steps = ReadonlyMap<string, ReadonlySet<string>>

export type Checks = {
  readonly broken: string[]
  /** The steps that Dayfly's lists showed, by runner. */
  readonly seen: Steps
  /** Steps that were given to a runner whose connection was broken, and that ended with its removal: nobody could see them. */
  readonly unseen: () => number
}

export function watch(world: World): Checks {
  const broken: string[] = []
  const say = (sentence: string) => broken.push(`${(world.clock.now() - 1_767_225_600_000) / 1_000} s: ${sentence}`)
  const seen = followLists(world)
  const unseen = watchSteps(world, say)
  watchPods(world, say)
  return { broken, seen, unseen: () => unseen.size }
}

type ListedStep = { readonly name: string; readonly state: { readonly step?: { readonly uuid: string } | null } }

function followLists({ listeners }: World): Steps {
  const seen = new Map<string, Set<string>>()
  listeners.add(({ method, path }: Request, body: unknown) => {
    const { values } = Object(body)
    if (method !== 'GET' || !path.endsWith('/runners') || !Array.isArray(values)) return
    for (const { name, state } of values as readonly ListedStep[]) {
      if (!state.step) continue
      const steps = seen.get(name) ?? new Set()
      seen.set(name, steps.add(state.step.uuid))
    }
  })
  return seen
}

/** No step ends because Dayfly removed its runner or deleted its pod. */
function watchSteps(world: World, say: (sentence: string) => void): ReadonlySet<string> {
  const { control } = world.emulator
  const shaky = new Set<string>()
  const unseen = new Set<string>()
  control.onStep(({ kind, id, runner = '' }) => {
    if (kind === 'assigned' && world.node.processes.get(runner) !== 'running') shaky.add(id)
    if (kind !== 'finished') return
    const step = control.step(id)
    if (step?.reason !== 'The runner was deleted.') return
    const wasStarted = step.times.started !== undefined
    const isReachable = world.node.processes.get(runner) === 'running'
    if (!wasStarted && (shaky.has(id) || !isReachable)) unseen.add(id)
    else say(`the removal of ${runner} ended its step ${id}`)
  })
  return unseen
}

function watchPods(world: World, say: (sentence: string) => void): void {
  const { registry, emulator, node, sets } = world
  const names = new Set<string>()
  const ending = new Set<string>()
  const registrations = new Set<unknown>()
  registry.subscribe('pods', ({ type, object }) => {
    const { name, namespace = '', annotations, deletionTimestamp } = object.metadata
    if (type === 'ADDED') {
      const id = annotations?.['dayfly.dev/registration-id']
      if (names.has(name) || registrations.has(id)) say(`${name} or its registration was used twice`)
      names.add(name)
      registrations.add(id)
      const max = sets.find((set) => set.namespace === namespace)?.max ?? 0
      const living = registry.list('pods', namespace).filter((pod) => Object(pod['status']).phase !== 'Failed').length
      if (living > max) say(`${living} pods live in ${namespace}, where max is ${max}`)
    } else if (type === 'MODIFIED' && deletionTimestamp !== undefined && !ending.has(name)) {
      ending.add(name)
      const isAlive = ['running', 'silent'].includes(node.processes.get(name) ?? '')
      const step = emulator.control.runners().find((runner) => runner.name === name)?.step
      if (isAlive && step !== undefined) say(`the pod ${name} was deleted while it had the step ${step}`)
    }
  })
}

/** Every journal entry about a runner is one of the set that wrote it: no set touches the runners of the other one. */
export function strangers(world: World): readonly string[] {
  const prefixes = world.sets.map(({ namespace }) => [namespace, prefixOf(world, namespace)] as const)
  const entries = world.processes.flatMap((process) => process.entries)
  return entries.flatMap(({ event }) => {
    if (!('namespace' in event)) return []
    const name = 'runner' in event ? event.runner : 'name' in event ? event.name : undefined
    const prefix = prefixes.find(([namespace]) => namespace === event.namespace)?.[1] ?? 'none'
    return name === undefined || name.startsWith(prefix) ? [] : [`${event.namespace} wrote ${event.kind} about ${name}`]
  })
}

function prefixOf(world: World, namespace: string): string {
  const pod = world.processes.flatMap(({ entries }) =>
    entries.flatMap(({ event }) =>
      event.kind === 'runner-registered' && event.namespace === namespace ? [event.runner] : [],
    ),
  )[0]
  return pod?.slice(0, setName.length + 7) ?? setName
}

/** A world at rest has `min` idle runners and nothing else, and its status shows exactly that. */
export function countsAtRest(world: World): readonly string[] {
  return world.sets.flatMap((set) => {
    const { idle, busy, pending, demand } = statusOf(world, set)
    const shown = JSON.stringify({ idle, busy, pending, demand })
    const expected = JSON.stringify({ idle: set.min, busy: 0, pending: 0, demand: 0 })
    const online = onlineOf(world, set)
    const pods = world.registry.list('pods', set.namespace).length
    const problems = shown === expected ? [] : [`${set.namespace} shows ${shown}, not ${expected}`]
    if (online !== set.min || pods !== set.min) problems.push(`${set.namespace} has ${online} online and ${pods} pods`)
    return problems
  })
}

function onlineOf(world: World, { namespace }: SetSpec): number {
  const runners = world.emulator.control.runners()
  const isOwn = (name: string) => podNamed(world.registry, name)?.metadata.namespace === namespace
  return runners.filter(({ status, name }) => isOwn(name) && status === 'ONLINE').length
}

/** The late steps as the lists showed them, as lists and logs showed them together, and as the status and the journal have them. Sets of one account share its lists: while one is cut off, the other's lists go on. */
export function lateSteps(world: World, { seen }: Checks, set: SetSpec) {
  const prefix = prefixOf(world, set.namespace)
  const isOwn = (name: string) => name.startsWith(prefix)
  const listed = lateIn(seen, isOwn)
  const both = union(seen, world.logs?.steps ?? new Map())
  const journaled = world.processes.flatMap(({ entries }) =>
    entries.filter(({ event }) => event.kind === 'job-late' && event.namespace === set.namespace),
  ).length
  const wasCutOff = world.processes.some(({ entries }) =>
    entries.some(({ event }) => event.kind === 'forge-failed' && event.namespace === set.namespace),
  )
  return { listed, seen: lateIn(both, isOwn), journaled, wasCutOff, shown: statusOf(world, set)['lateJobs'] }
}

function union(one: Steps, other: Steps): Steps {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, new Set([...(one.get(name) ?? []), ...(other.get(name) ?? [])])]))
}

/** Every step after the first one of its runner is late. */
function lateIn(steps: Steps, isOwn: (name: string) => boolean): number {
  return [...steps].reduce((late, [name, all]) => late + (isOwn(name) ? all.size - 1 : 0), 0)
}

export function leftovers(world: World): readonly string[] {
  const { registry, emulator, node } = world
  const secrets = registry.list('secrets').filter(({ metadata }) => metadata.name.startsWith(`${setName}-`))
  const alive = [...node.processes].filter(([, state]) => state === 'running' || state === 'silent')
  return [
    ...registry.list('pods').map(({ metadata }) => `pod ${metadata.name}`),
    ...secrets.map(({ metadata }) => `Secret ${metadata.name}`),
    ...emulator.control.runners().flatMap(({ name }) => (name.startsWith(setName) ? [`registration ${name}`] : [])),
    ...alive.map(([name]) => `process ${name}`),
  ]
}

/** Returns the most calls in any 60 minutes. */
export function mostInAnHour(calls: readonly number[]): number {
  let [most, from] = [0, 0]
  for (const [index, at] of calls.entries()) {
    while ((calls[from] ?? at) <= at - 3_600_000) from++
    most = Math.max(most, index - from + 1)
  }
  return most
}
