// The outages that GitHub itself has had (docs/incidents/forge-outages.md): one at a time, in some of the seeds.
import { type Outage, outages } from '@dayfly/forge-emulators/github/config'
import { randomInteger } from '@dayfly/kit/random'
import { streamOf } from './streams.ts'
import type { Disaster } from './strikes.ts'
import type { World } from './world.ts'

const share = 0.4
/** Long enough for several idle runners to lose their registrations, and for the leases of assigned jobs to end. */
const longestMs = 120_000

/** Returns nothing for a world without these outages. */
export function outageDisasters({ seed, sets }: World): readonly Disaster[] {
  const has = sets.some(({ forge }) => forge === 'github') && streamOf(seed, 'outages')() < share
  return has ? outages.filter((outage) => outage !== 'none').map(disasterOf) : []
}

function disasterOf(outage: Outage): Disaster {
  return {
    name: `GitHub: ${outage}`,
    strike: (world, random) => {
      if (world.climate.outage !== 'none' || world.climate.isFair) return
      change(world, outage)
      world.repairs.in(randomInteger(random, 10_000, longestMs), () => endOutage(world))
    },
  }
}

export function endOutage(world: World): void {
  if (world.climate.outage !== 'none') change(world, 'none')
}

function change({ climate, github }: World, outage: Outage): void {
  climate.outage = outage
  github.control.knobs({ outage })
}
