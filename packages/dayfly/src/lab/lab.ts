// Runs one incident on embedded clusters, and ends the clusters that it opened.
import type { Profile } from '@dayfly/cluster/api/api'
import type { Instant } from '@dayfly/kit/clock'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { DayflyParts } from './dayfly.ts'
import { type EmbeddedWorld, openEmbedded } from './embedded-world.ts'
import type { Evidence } from './evidence.ts'
import type { Incident, OpenOptions } from './incident.ts'
import { embeddedLoad } from './load.ts'
import { createNotebook, type Verdicts, verdictsOf } from './notebook.ts'

export type LabOptions = {
  readonly profile: Profile
  /** The time at the start of each cluster. */
  readonly start: Instant
  readonly dayfly: DayflyParts
  readonly onEvidence: (entry: Evidence) => void
  /** Receives the cluster with the incident, after its end. Without it, every cluster is stopped at the end. */
  readonly keep?: (world: EmbeddedWorld, result: LabResult) => Promise<void>
}

export type LabResult = Verdicts & { readonly incident: string; readonly evidence: readonly Evidence[] }

/** Rejects if a part of the lab itself fails. The evidence names all that does not hold. */
export async function runIncident(incident: Incident, options: LabOptions): Promise<LabResult> {
  const { profile, start, dayfly, onEvidence, keep } = options
  const worlds: EmbeddedWorld[] = []
  let kept: EmbeddedWorld | undefined
  const begin = () => {
    const clock = virtualClock(start)
    const open = async ({ stays, ...given }: OpenOptions) => {
      const world = openEmbedded(clock, { profile, ...given })
      worlds.push(world)
      if (stays) kept = world
      return world
    }
    return { clock, open }
  }
  const notebook = createNotebook(onEvidence)
  const settings = { lacks: new Set<never>(), load: embeddedLoad, ttlSeconds: (proposed: number) => proposed }
  try {
    await incident.run({ profile, keeps: keep !== undefined, begin, dayfly, notebook, ...settings })
    const { evidence } = notebook
    const result = { incident: incident.id, ...verdictsOf(evidence), evidence }
    if (keep && kept) await keep(kept, result)
    return result
  } finally {
    for (const world of worlds) await world.stop()
  }
}
