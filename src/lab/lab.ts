// Runs one incident, and ends the clusters that it opened.
import type { Profile } from '../embedded/api/api.ts'
import type { Instant } from '../lib/clock.ts'
import { virtualClock } from '../lib/virtual-clock.ts'
import type { DayflyParts } from './dayfly.ts'
import type { Evidence } from './evidence.ts'
import type { Incident, OpenOptions } from './incident.ts'
import { createNotebook, type Verdicts, verdictsOf } from './notebook.ts'
import { openWorld, type World } from './world.ts'

export type LabOptions = {
  readonly profile: Profile
  /** The time at the start of each cluster. */
  readonly start: Instant
  readonly dayfly: DayflyParts
  readonly onEvidence: (entry: Evidence) => void
  /** Receives the cluster with the incident, after its end. Without it, every cluster is stopped at the end. */
  readonly keep?: (world: World, result: LabResult) => Promise<void>
}

export type LabResult = Verdicts & { readonly incident: string; readonly evidence: readonly Evidence[] }

/** Rejects if a part of the lab itself fails. The evidence names all that does not hold. */
export async function runIncident(incident: Incident, options: LabOptions): Promise<LabResult> {
  const { profile, start, dayfly, onEvidence, keep } = options
  const worlds: World[] = []
  let kept: World | undefined
  const open = ({ stays, ...given }: OpenOptions): World => {
    const world = openWorld({ profile, ...given })
    worlds.push(world)
    if (stays) kept = world
    return world
  }
  const notebook = createNotebook(onEvidence)
  try {
    await incident.run({ profile, keeps: keep !== undefined, clock: () => virtualClock(start), dayfly, notebook, open })
    const { evidence } = notebook
    const result = { incident: incident.id, ...verdictsOf(evidence), evidence }
    if (keep && kept) await keep(kept, result)
    return result
  } finally {
    for (const world of worlds) await world.stop()
  }
}
