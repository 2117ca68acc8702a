// Tests `dayfly doctor --live` on a real API server: its findings are the same as on the embedded cluster, and its repairs work.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { randomName } from '@dayfly/kit/ids'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { afterAll, describe, expect, it } from 'vitest'
import { clock, pods, random } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'
import { defineCustomKinds } from './custom-kinds.ts'
import { confirmEnds, heldIn, makeIncidents } from './incidents.ts'
import { findingsIn, liveDoctor } from './live-doctor.ts'

const file = kubeconfig
if (file) describe('the doctor', () => suite(file))
else describe('the doctor', () => it('on a real API server', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const site = `doctor-${randomName(random, 5)}`
  const folder = mkdtempSync(path.join(tmpdir(), 'doctor-live-'))
  const ends: (() => Promise<void>)[] = []

  afterAll(async () => {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true })
  })

  async function incidentsOn(kubeconfig: string) {
    const cluster = connect(await loadKubeconfig(kubeconfig), clock)
    ends.push(() => cluster.close())
    const kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
    const kinds = await defineCustomKinds(kubernetes)
    ends.push(() => kinds.remove())
    const incidents = await makeIncidents({ kubernetes, name: site, now: clock.now })
    ends.push(() => incidents.remove())
    return { kubernetes, incidents }
  }

  async function embedded(): Promise<string> {
    const runtime = createScriptedRuntime({ clock, script: () => ({}) })
    const cluster = createCluster({ clock, random, runtime, users: new Map([['secret', 'admin']]) })
    ends.push(() => cluster.stop())
    const { origin: server, ca } = await cluster.listen()
    const at = path.join(folder, 'embedded')
    writeFileSync(at, kubeconfigText({ server, ca, user: 'admin', token: 'secret' }), { mode: 0o600 })
    return at
  }

  it('has the same findings as on the embedded cluster', async () => {
    const there = await embedded()
    await incidentsOn(there)
    await incidentsOn(file)
    const ours = await liveDoctor(folder, there)
    const theirs = await liveDoctor(folder, file)
    expect(findingsIn(theirs, site)).toEqual(findingsIn(ours, site))
    const codes = findingsIn(theirs, site).map((line) => line.slice(0, 6))
    expect(codes).toEqual(
      expect.arrayContaining([
        'ARC401',
        'ARC402',
        'ARC403',
        'FIN502',
        'LIV301',
        'LIV302',
        'LIV303',
        'LIV305',
        'POD117',
      ]),
    )
  })

  it('completes a stuck uninstall without its controller', { timeout: 120_000 }, async () => {
    const cluster = connect(await loadKubeconfig(file), clock)
    ends.push(() => cluster.close())
    const kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
    const place = { name: `${site}-2`, namespace: `${site}-2-uninstall` }
    const incidents = await makeIncidents({ kubernetes, name: place.name, now: clock.now })
    ends.push(() => incidents.remove())
    ends.push(confirmEnds({ kubernetes, clock }, [site, place.name]))
    expect(await heldIn(kubernetes, place.namespace)).toHaveLength(9)
    const fix = ['--fix', '--remove-finalizers', '--max-objects', '100']
    const digest = /--confirm (\w+)/.exec((await liveDoctor(folder, file, ...fix)).stderr)?.[1] ?? 'none'
    const done = await liveDoctor(folder, file, ...fix, '--confirm', digest)
    expect(done.stderr).toMatch(/(\d+) of \1 steps done/)
    expect(await heldIn(kubernetes, place.namespace)).toEqual([])
    const busy = await kubernetes.get(pods, { namespace: `${place.name}-runners`, name: 'busy' })
    expect(busy.metadata).not.toHaveProperty('deletionTimestamp')
  })
}
