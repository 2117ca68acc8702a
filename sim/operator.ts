// The operator of a world: reads the conditions of the sets, and does what they advise.
import type { SetName } from './sets.ts'
import { objectsOf } from './sizes.ts'
import type { World } from './world.ts'

const kind = 'runnersets.dayfly.dev'

type Condition = {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

type Status = {
  readonly idle?: number
  readonly busy?: number
  readonly pending?: number
  readonly conditions?: readonly Condition[]
}

/** Returns the set as it is stored; undefined also while its kind does not exist. */
export function setOf({ registry }: World, { namespace, name }: SetName) {
  const isKnown = registry.get('customresourcedefinitions.apiextensions.k8s.io', undefined, kind) !== undefined
  return isKnown ? registry.get(kind, namespace, name) : undefined
}

export function statusOf(world: World, set: SetName): Status {
  return Object(setOf(world, set)?.['status'])
}

export function conditionsOf(world: World, set: SetName): readonly Condition[] {
  return statusOf(world, set).conditions ?? []
}

/** A set that was deleted while its forge failed leaves its scale set there. The next set of that name asks for its removal. */
export function followAdvice(world: World): void {
  for (const set of world.sets) {
    const collision = conditionsOf(world, set).find(({ reason }) => reason === 'RegistrationCollides')
    const id = /\(id (\d+)\)/.exec(collision?.message ?? '')?.[1]
    if (id !== undefined) world.github.control.loseScaleSet(Number(id))
  }
}

export function installMissingSets({ registry, sets }: World): void {
  for (const object of objectsOf(sets)) {
    const { namespace, name } = object.metadata
    const isThere = registry.get(kind, namespace, name) !== undefined
    if (!isThere) registry.create(kind, object)
  }
}
