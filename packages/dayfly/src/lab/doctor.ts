// The doctor, as `dayfly doctor` runs it: on a file, and on a cluster of the lab.
import type { Profile } from '@dayfly/cluster/api/api'
import { decodeFiles, examine } from '@dayfly/doctor/engine/examine'
import type { VersionFact } from '@dayfly/doctor/facts'
import type { Finding, ObjectRef } from '@dayfly/doctor/finding'
import { fixFiles } from '@dayfly/doctor/fix/fixes'
import type { ClusterFacts } from '@dayfly/doctor/live/cluster'
import { examineLive } from '@dayfly/doctor/live/examine'
import { gatherLive } from '@dayfly/doctor/live/gather'
import { type Plan, planRepair } from '@dayfly/doctor/live/plan'
import { type PlanOptions, planDefaults } from '@dayfly/doctor/live/plan-options'
import { type RepairEntry, type RepairOptions, repair } from '@dayfly/doctor/live/repair'
import { describe } from '@dayfly/doctor/live/step'
import type { DecodedFile } from '@dayfly/doctor/read/decode/document'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import type { World } from './world.ts'

export type FixedText = {
  readonly text: string
  /** The findings in the original text, as `7 POD101 title`. */
  readonly findings: readonly string[]
  /** The fixes that were made, as `POD101: move …`. */
  readonly fixes: readonly string[]
}

/** Fixes a text as `dayfly doctor --kubernetes-version P --fix=unsafe FILE` does. */
export function fixText(path: string, text: string, profile: Profile): FixedText {
  const version: VersionFact = { minors: [Number(profile.slice(2))], declared: true, from: '--kubernetes-version' }
  const findingsOf = (files: readonly DecodedFile[]) => examine(files, catalogue, { version }).findings
  const files = decodeFiles([{ path, text }])
  const { changed, applied } = fixFiles(files, findingsOf, () => true)
  return {
    text: changed[0]?.after.text ?? text,
    findings: findingsOf(files).map(({ code, place, message }) => `${path}:${place?.line ?? 1} ${code} ${message}`),
    fixes: applied.map(({ code, fix }) => `${code}: ${fix?.title ?? ''}`),
  }
}

export type Look = { readonly facts: ClusterFacts; readonly findings: readonly Finding[] }

/** Examines the namespace, or the whole cluster, as `dayfly doctor --live` does. */
export async function lookLive({ kubernetes, inquiry, doctorClock: clock }: World, namespace?: string): Promise<Look> {
  const namespaces = namespace === undefined ? undefined : [namespace]
  const facts = await gatherLive({ kubernetes, inquiry, clock, namespaces })
  return { facts, findings: examineLive(facts, catalogue).findings }
}

/** Returns the findings of a namespace as lines. */
export function linesOf({ findings }: Look, namespace: string): readonly string[] {
  return findings
    .filter(({ object }) => object.namespace === namespace)
    .map(({ code, severity, object, message }) => `${code} ${severity}: ${nameOf(object)}: ${message}`)
}

export type Repaired = { readonly plan: Plan; readonly entries: readonly RepairEntry[] }

/** Plans a repair and carries it out, as `dayfly doctor --live --fix --confirm DIGEST` does. */
export async function repairLive(
  world: World,
  { findings, facts }: Look,
  { account, ...options }: Partial<PlanOptions> & { readonly account?: RepairOptions['account'] } = {},
): Promise<Repaired> {
  const plan = planRepair(facts, findings, { ...planDefaults, ...options })
  const { kubernetes, inquiry, doctorClock: clock } = world
  const place = { kubernetes, inquiry, clock, account }
  const { entries } = await repair(plan, {
    ...place,
    confirmed: plan.digest,
    keepImage: async () => undefined,
    log: () => undefined,
  })
  return { plan, entries }
}

/** Returns what a repair did and what it left alone, as lines. */
export function repairLines({ plan, entries }: Repaired): readonly string[] {
  return [
    ...plan.steps.map(({ id, action }) => {
      const { outcome = 'skipped', why = '' } = entries.find(({ step }) => step === id) ?? {}
      return `${id}. ${outcome}: ${describe(action)} (${why})`
    }),
    ...plan.refused.map(({ object, because }) => `not touched: ${nameOf(object)}: ${because}`),
  ]
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
