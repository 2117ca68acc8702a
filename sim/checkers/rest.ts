// A world at rest has exactly the idle runners that its sets ask for, and every status says so.
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { conditionsOf, statusOf } from '../operator.ts'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'
import type { Checker } from './checker.ts'
import { sparesOf } from './spares.ts'

export const rest: Checker = {
  name: 'rest',
  atRest: (world) => world.sets.flatMap((set) => problemsOf(world, set)),
  atEnd: (world) => leftovers(world),
}

function problemsOf(world: World, set: SetSpec): readonly string[] {
  const { registry } = world
  const isTrue = (name: string, type: string) =>
    conditionsOf(world, { ...set, name }).some((one) => one.type === type && one.status === 'True')
  const unhappy = ['Ready', 'ForgeConnected'].filter((type) => !isTrue(set.name, type))
  const { idle, busy, pending } = statusOf(world, set)
  const shown = JSON.stringify({ idle, busy, pending })
  const spares = sparesOf(world, set)
  const expected = JSON.stringify({ idle: spares, busy: 0, pending: 0 })
  const pods = podsIn(world, set.namespace)
  // The sets of a pool share a namespace. A pod of none of them is too many, too.
  const podsMin = world.sets
    .filter(({ namespace }) => namespace === set.namespace)
    .reduce((sum, one) => sum + sparesOf(world, one), 0)
  const secrets = registry
    .list('secrets', set.namespace)
    .filter(({ metadata }) => metadata.name.startsWith(`${set.name}-`))
  const registered = registrationsOf(world, set)
  return [
    ...unhappy.map((type) => `${set.name} is not ${type}`),
    ...(set.parent === undefined || isTrue(set.parent, 'Ready') ? [] : [`${set.parent} is not Ready`]),
    ...(shown === expected ? [] : [`${set.name} shows ${shown}, and should show ${expected}`]),
    ...(pods.length === podsMin
      ? []
      : [`the namespace of ${set.name} has ${pods.length} pods, and should have ${podsMin}`]),
    ...(secrets.length === spares ? [] : [`${set.name} has ${secrets.length} Secrets, and should have ${spares}`]),
    ...(registered.length === spares
      ? []
      : [`${set.name} has ${registered.length} registrations (${registered.join(', ')}), and should have ${spares}`]),
  ]
}

/** The registrations of the set as it is now. Those of a set that was deleted while its forge failed stay for `dayfly sweep`. */
function registrationsOf(world: World, { name, forge }: SetSpec): readonly string[] {
  const { github, uids } = world
  const all = forge === 'github' ? github.control.registrations() : world[forge].control.runners()
  const prefix = runnerPrefix({ name, uid: uids.get(name) ?? '' })
  const names = all.flatMap((one) => (one.name.startsWith(prefix) ? [one.name] : []))
  // A request that arrives twice leaves a twin at Bitbucket and Gitea. It goes together with its runner.
  return [...new Set(names)]
}

function podsIn({ registry, strangers }: World, namespace?: string): readonly string[] {
  const pods = registry.list('pods', namespace)
  return pods.flatMap(({ metadata: { name, uid } }) => (strangers.has(uid) ? [] : [name]))
}

function leftovers(world: World): readonly string[] {
  const { registry, alive, sets } = world
  const isOurs = (name: string) => sets.some((set) => name.startsWith(`${set.name}-`))
  const left = [
    ...registry.list('runnersets.dayfly.dev').map(({ metadata }) => `the set ${metadata.name}`),
    ...podsIn(world).map((name) => `the pod ${name}`),
    ...registry
      .list('secrets')
      .flatMap(({ metadata }) => (isOurs(metadata.name) ? [`the Secret ${metadata.name}`] : [])),
    ...sets.flatMap((set) => registrationsOf(world, set)).map((name) => `the registration ${name}`),
    ...[...alive.keys()].map((pod) => `a container of the pod ${pod}`),
  ]
  return left.map((what) => `left over: ${what}`)
}
