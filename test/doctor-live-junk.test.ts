// An examination and a plan end for any content of a cluster's objects.
import { expect, it } from 'vitest'
import { runRules, toFinding } from '../src/doctor/engine/run-rules.ts'
import { gatherLive } from '../src/doctor/live/gather.ts'
import { planRepair } from '../src/doctor/live/plan.ts'
import { planDefaults } from '../src/doctor/live/plan-options.ts'
import { catalogue } from '../src/doctor/rules/catalogue.ts'
import type { Kubernetes } from '../src/kubernetes/kubernetes.ts'
import type { KubeObject } from '../src/kubernetes/types.ts'
import { type Random, seededRandom } from '../src/lib/random.ts'
import { openDoctorCluster } from './doctor-cluster.fixture.ts'
import { makeHopeless } from './doctor-hopeless-pods.fixture.ts'
import { chance, pickOf } from './doctor-state.fixture.ts'
import { defineCustomKinds } from './kubernetes/custom-kinds.ts'
import { makeIncidents } from './kubernetes/incidents.ts'

const runs = 200
const junk = [null, [], {}, 'x', '', 7, -1, true, [null], [[]], ['x'], { a: null }, '2026-13-45T00:00:00Z']

it(`${runs} clusters with junk in their fields break nothing`, { timeout: 120_000 }, async () => {
  const cluster = openDoctorCluster()
  await defineCustomKinds(cluster.kubernetes)
  await makeIncidents({ kubernetes: cluster.kubernetes, name: 'site', now: cluster.clock.now })
  makeHopeless(cluster)
  await cluster.clock.sleep(3 * 3_600_000)
  let steps = 0
  for (let seed = 1; seed <= runs; seed++) {
    const kubernetes = spoiling(cluster.kubernetes, seededRandom(seed))
    steps += await lookAndPlan({ ...cluster, kubernetes }).catch((cause: unknown) => {
      throw new Error(`seed ${seed}`, { cause })
    })
  }
  // Few enough changes that the objects are still recognizable.
  expect(steps).toBeGreaterThan(runs)
})

/** The number of changes. */
async function lookAndPlan(cluster: Parameters<typeof gatherLive>[0]): Promise<number> {
  const facts = await gatherLive(cluster)
  const findings = runRules(facts, catalogue).hits.map(toFinding)
  return planRepair(facts, findings, { ...planDefaults, restoreDeclined: true }).steps.length
}

function spoiling(kubernetes: Kubernetes, random: Random): Kubernetes {
  return {
    ...kubernetes,
    list: async (resource, { keep = (object: KubeObject) => object, ...options } = {}) => {
      const list = await kubernetes.list(resource, options)
      const share = random() * 0.08
      return { ...list, items: list.items.flatMap((object) => keep(spoilt(object, share, random)) ?? []) }
    },
  }
}

/** The kind and the name stay, because the client requires them. */
function spoilt(object: KubeObject, share: number, random: Random): KubeObject {
  const { apiVersion, kind, metadata, ...fields } = object
  const spoiltMetadata = chance(random, 0.5) ? spoil(metadata, share / 2, random) : metadata
  const own = typeof spoiltMetadata === 'object' ? spoiltMetadata : {}
  return { ...(spoil(fields, share, random) as object), apiVersion, kind, metadata: { ...own, name: metadata.name } }
}

function spoil(value: unknown, share: number, random: Random): unknown {
  if (chance(random, share))
    return pickOf(
      random,
      junk.map((one) => [one]),
    )[0]
  if (Array.isArray(value)) return value.map((item) => spoil(item, share, random))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spoil(item, share, random)]))
}
