// An examination and a plan end for any content of a cluster's objects.
import { runRules, toFinding } from '@dayfly/doctor/engine/run-rules'
import { openDoctorCluster } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { gatherLive } from '@dayfly/doctor/live/gather'
import { planRepair } from '@dayfly/doctor/live/plan'
import { planDefaults } from '@dayfly/doctor/live/plan-options'
import { chance, pickOf } from '@dayfly/doctor/live/state.fixture'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { isFull } from '@dayfly/kit/full.fixture'
import { type Random, seededRandom } from '@dayfly/kit/random'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { expect, it } from 'vitest'
import { defineCustomKinds } from '../kubernetes/custom-kinds.ts'
import { makeIncidents } from '../kubernetes/incidents.ts'
import { makeHopeless } from './hopeless-pods.fixture.ts'

const runs = isFull ? 200 : 100
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
