// Lets disasters strike at random moments.
import { type Random, randomInteger } from '@dayfly/kit/random'
import { pick } from './streams.ts'
import type { World } from './world.ts'

export type Disaster = {
  readonly name: string
  readonly strike: (world: World, random: Random) => void
}

/** Chooses some of the kinds of disasters, and lets them strike at random moments of the next `ms` milliseconds. */
export function startDisasters(
  world: World,
  disasters: readonly Disaster[],
  { random, ms }: { readonly random: Random; readonly ms: number },
  note: (name: string) => void,
): void {
  const chosen = disasters.filter(() => random() < 0.25)
  if (chosen.length === 0) return
  const strikes = randomInteger(random, 2, 14)
  for (let index = 0; index < strikes; index++) {
    const disaster = pick(chosen, random)
    world.clock.after(randomInteger(random, 0, ms), () => {
      note(disaster.name)
      disaster.strike(world, random)
    })
  }
}
