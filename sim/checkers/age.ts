// At rest no idle runner is older than its set allows.
import { renewalS, type SetSpec } from '../sets.ts'
import type { World } from '../world.ts'
import type { Checker } from './checker.ts'
import { askedOf, freePlaces, podsOf } from './spares.ts'

/** The idle runners of a set are replaced one after another. */
const slackMs = 60_000

export const age: Checker = {
  name: 'age',
  atRest: (world) => world.sets.flatMap((set) => problemsOf(world, set)),
}

function problemsOf(world: World, set: SetSpec): readonly string[] {
  const maxS = mayKeep(world, set) ? set.lifeMaxS : renewalS(set)
  if (maxS === undefined) return []
  const bornAfter = world.clock.now() - maxS * 1_000 - slackMs
  return podsOf(world, set).flatMap(({ metadata: { name, creationTimestamp = '' } }) =>
    Date.parse(creationTimestamp) < bornAfter ? [`${name} is older than ${maxS} s`] : [],
  )
}

/** In a full pool, a set does not give up its only idle runner before it has another one. */
function mayKeep(world: World, set: SetSpec): boolean {
  return freePlaces(world, set) <= 0 && askedOf(world, set) > 0 && podsOf(world, set).length === 1
}
