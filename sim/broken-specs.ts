// A spec that the API server accepts and Dayfly cannot read, for a while: the set has no work, and its runners live on.
import { randomInteger } from '@dayfly/kit/random'
import { editSet } from './disasters.ts'
import { scaleOf } from './sets.ts'
import { pick, streamOf } from './streams.ts'
import type { Disaster } from './strikes.ts'
import type { World } from './world.ts'

const share = 0.4
const nowhere = [{ timeZone: 'Mars/Base', from: '09:00', to: '10:00', min: 1 }]

/** Returns nothing for a world without such specs. */
export function specDisasters({ seed }: World): readonly Disaster[] {
  return streamOf(seed, 'specs')() < share ? [unreadableSet] : []
}

const unreadableSet: Disaster = {
  name: 'unreadable set',
  strike: (world, random) => {
    if (world.climate.isFair) return
    const set = pick(world.sets, random)
    editSet(world, set, (spec) => ({ ...spec, scale: { ...scaleOf(set), schedule: nowhere } }))
    const repairMs = randomInteger(random, 5_000, 60_000)
    world.repairs.in(repairMs, () => editSet(world, set, (spec) => ({ ...spec, scale: scaleOf(set) })))
  },
}
