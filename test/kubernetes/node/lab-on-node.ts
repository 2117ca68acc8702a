// Runs an incident of the lab on the real node, and compares what it shows with what the embedded cluster shows.
import { dayflyParts } from 'dayfly/command/lab/dayfly-parts'
import type { Evidence } from 'dayfly/lab/evidence'
import type { Incident, Lack, OpenOptions } from 'dayfly/lab/incident'
import type { LabResult } from 'dayfly/lab/lab'
import { createNotebook, verdictsOf } from 'dayfly/lab/notebook'
import { clock } from '../client-place.ts'
import { type NodeWorld, openOnNode } from './lab-world.ts'

/** The collector of the node has a threshold of 20 finished pods (scripts/real-node.ts). */
const load = { burst: 15, workMs: 2_000, threshold: 20 }
const lacks: ReadonlySet<Lack> = new Set(['versions', 'presence', 'hours'])

/** Runs the incident. The node has one world at a time. */
export async function runOnNode(incident: Incident, kubeconfig: string): Promise<LabResult> {
  let world: NodeWorld | undefined
  const open = async ({ stays: _, profile: __, ...options }: OpenOptions) => {
    await world?.stop()
    world = await openOnNode(kubeconfig, options)
    return world
  }
  const notebook = createNotebook(() => {})
  const settings = { profile: '1.36', dayfly: dayflyParts(), keeps: false, lacks, load } as const
  try {
    await incident.run({ ...settings, begin: () => ({ clock, open }), ttlSeconds: () => 5, notebook })
  } finally {
    await world?.stop()
  }
  const { evidence } = notebook
  return { incident: incident.id, ...verdictsOf(evidence), evidence }
}

/** An observation that only one cluster makes, or the lines of one by which the two differ. */
export type Difference =
  | { readonly claim: string; readonly only: 'embedded' | 'node' }
  | { readonly claim: string; readonly embedded: readonly string[]; readonly node: readonly string[] }

/** Returns the differences of the evidence, apart from names, times and counts. */
export function differencesBetween(embedded: readonly Evidence[], node: readonly Evidence[]): readonly Difference[] {
  const claims = [...new Set([...embedded, ...node].map(({ claim }) => plain(claim)))]
  return claims.flatMap((claim): readonly Difference[] => {
    const one = shown(embedded, claim)
    const other = shown(node, claim)
    if (!one) return [{ claim, only: 'node' }]
    if (!other) return [{ claim, only: 'embedded' }]
    const isEqual = one.length === other.length && one.every((line, index) => line === other[index])
    return isEqual ? [] : [{ claim, embedded: one, node: other }]
  })
}

/** Returns the lines of an observation, and whether its claim holds. */
function shown(evidence: readonly Evidence[], claim: string): readonly string[] | undefined {
  const entry = evidence.find((each) => plain(each.claim) === claim)
  return entry && [`holds: ${entry.holds}`, ...entry.output.map(plain)]
}

/** Replaces what differs from run to run. */
function plain(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"containerID":"[^"]*"/g, '"containerID":"ID"')
    .replace(/(?<=UUID-)[a-z0-9]{5}\b/g, 'RANDOM')
    .replace(/\bbuilds-[a-z0-9]+-[a-z0-9]+\b/g, 'builds-RANDOM')
    .replace(/\b\d+ (?:s|min|h|d|ms)\b(?: \d+ (?:s|min|h)\b)?/g, 'SPAN')
    .replace(/\b(?:\d+[smhd])+\b/g, 'AGE')
    .replace(/on the node (?:dayfly|127\.0\.0\.1)/g, 'on the node NODE')
    .replace(/\b\d{2,}\b/g, 'N')
    .replace(/ +/g, ' ')
}
