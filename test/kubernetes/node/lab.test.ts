// Runs the same incidents on the real node as `dayfly lab` on the embedded cluster, and compares what they show.
import { dayflyParts } from 'dayfly/command/lab/dayfly-parts'
import { incidents } from 'dayfly/lab/catalogue'
import { runIncident } from 'dayfly/lab/lab'
import { describe, expect, it } from 'vitest'
import { knownDifferences } from './lab-differences.ts'
import { differencesBetween, runOnNode } from './lab-on-node.ts'
import { nodeKubeconfig, whyNoNode } from './open-node.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the lab', (context) => context.skip(whyNoNode)))

function suite(kubeconfig: string): void {
  const title = '%s shows the same as on the embedded cluster, apart from the differences on its page'
  const compare = async (id: string) => {
    const incident = incidents.find((one) => one.id === id)
    if (!incident) throw new Error(`no incident ${id}`)
    const settings = { profile: '1.36', start: Date.UTC(2026, 0, 1), dayfly: dayflyParts() } as const
    const embedded = await runIncident(incident, { ...settings, onEvidence: () => {} })
    const real = await runOnNode(incident, kubeconfig)
    const known = knownDifferences[id] ?? []
    expect(differencesBetween(embedded.evidence, real.evidence)).toEqual(known.flatMap(({ shows = [] }) => shows))
    expect(real.evidence.filter(({ holds }) => !holds).map(({ claim }) => claim)).toEqual([])
    expect(real.cured).toBe(true)
  }

  // One of them uses Dayfly, and the doctor examines only the namespace of each.
  it.concurrent.each(['zombie-pod', 'stuck-hook'])(title, compare)
  it.each(['podgc-loop', 'stuck-uninstall'])(title, compare)
}
