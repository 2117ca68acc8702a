// A size that is taken away from its set for a while: its runners finish their jobs, and it may come back before that.
import { randomInteger } from '@dayfly/kit/random'
import { editSet } from './disasters.ts'
import { parentName, sizeEntry } from './sizes.ts'
import type { Disaster } from './strikes.ts'
import type { World } from './world.ts'

/** Returns nothing for a world without sizes. */
export function sizeDisasters({ sets }: World): readonly Disaster[] {
  return sets.some(({ parent }) => parent !== undefined) ? [missingSize] : []
}

const missingSize: Disaster = {
  name: 'missing size',
  strike: (world, random) => {
    const [first, ...others] = world.sets.filter(({ parent }) => parent !== undefined)
    if (first === undefined) return
    const parent = { ...first, name: parentName }
    editSet(world, parent, (spec) => ({ ...spec, sizes: [sizeEntry(first)] }))
    const backMs = randomInteger(random, 2_000, 60_000)
    world.repairs.in(backMs, () =>
      editSet(world, parent, (spec) => ({ ...spec, sizes: [first, ...others].map(sizeEntry) })),
    )
  },
}
