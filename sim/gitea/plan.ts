// The part of Gitea in the world of a seed: one or two sets, and the knobs of its server.
import type { KnobChange } from '@dayfly/forge-emulators/gitea/config'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { namespaces, type SetSpec } from '../sets.ts'
import { pick } from '../streams.ts'

export type GiteaPlan = {
  readonly knobs: KnobChange
  /** The chance that the server gives a job to a runner that never gets the answer, while there are faults. */
  readonly lostTask: number
}

/** The share of the seeds with sets of Gitea. */
const share = 0.2
/** An organization, a repository of it, and the whole server. */
const places = ['acme', 'acme/app', ''] as const

/** The plan of a world without sets of Gitea. */
export const withoutGitea: GiteaPlan = { knobs: {}, lostTask: 0 }

/** Returns undefined for a seed without Gitea. */
export function giteaOf(random: Random): { readonly sets: readonly SetSpec[]; readonly plan: GiteaPlan } | undefined {
  if (random() >= share) return undefined
  const rootPath = random() < 0.2 ? '/git' : ''
  const place = pick(places, random)
  const other = random() < 0.7 ? place : pick(places, random)
  const chosen = random() < 0.5 ? [place, other] : [other]
  const isShared = random() < 0.7
  const sets = chosen.map((name, index): SetSpec => {
    const namespace = namespaces[index + 2 - chosen.length] ?? 'a'
    const min = randomInteger(random, 0, 2)
    return {
      ...{ namespace, name: `linux-${namespace}`, forge: 'gitea' },
      account: [...rootPath.split('/'), name].filter(Boolean).join('/'),
      labels: index > 0 && isShared ? ['gitea', 'large'] : [index > 0 ? 'large' : 'gitea'],
      ...{ min, max: min + randomInteger(random, 1, 5) },
    }
  })
  return { sets, plan: { knobs: { ...knobsOf(random), rootPath }, lostTask: random() < 0.3 ? 0.1 : 0 } }
}

/** Small knobs: ten minutes of Gitea's patience would be ten minutes of every seed. */
function knobsOf(random: Random): KnobChange {
  return {
    dialect: pick(['gitea-1.26', 'gitea-1.26', 'gitea-1.27'], random),
    pageMax: random() < 0.5 ? 50 : randomInteger(random, 3, 8),
    pickUpMs: random() < 0.4 ? 0 : randomInteger(random, 500, 5_000),
    fetchMs: randomInteger(random, 0, 4_000),
    // With the longer time, a runner with a job does not show as busy for half of the time.
    reportMs: pick([5_000, 20_000], random),
    zombieMs: 90_000,
  }
}
