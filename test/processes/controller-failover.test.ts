// Two controllers, of which one leads: an orderly end hands over at once, and a killed leader loses no job and starts none twice.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pods, runnerSets, secrets } from '@dayfly/controller/resources'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { leases } from '@dayfly/kubernetes/lease-record'
import type { Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createWorld, until, type World } from '../cli.ts'
import { type ControllerProcess, openControllerWorld, runnerSet, startController } from '../controller/process-world.ts'
import { openSlowGate } from '../controller/slow-gate.ts'

const waitMs = 60_000
const isWarm = async (controller: ControllerProcess) => {
  const { status, text } = await controller.get('/readyz')
  return status === 200 && text.includes('[+]election ok: warm standby of')
}
const timeOf = (line: { readonly [field: string]: string | number } | undefined) => Date.parse(String(line?.['time']))

/** Resolves with the process that leads, and the other one, as soon as the other one is ready to take over. */
async function pair(start: () => ControllerProcess) {
  const leader = start()
  await leader.saw('leadership-gained')
  const standby = start()
  await until('the standby is warm', waitMs, () => isWarm(standby))
  return { leader, standby }
}

test('after an orderly end a standby leads at once, long before the Lease expires', { timeout: 180_000 }, async () => {
  const world = await openControllerWorld({ apiMs: 150, forgeMs: 150 })
  try {
    world.install()
    const { leader, standby } = await pair(() => world.start())
    await leader.saw('forge-connected')
    expect((await standby.get('/metrics')).text).not.toContain('dayfly_runners{')
    const jobs = world.queue(10, 1).map(({ id }) => id)
    await leader.saw('job-started', waitMs)
    leader.child.kill('SIGTERM')
    expect(await leader.ended).toEqual({ code: 0, signal: null })
    const gained = await standby.saw('leadership-gained', waitMs)
    // At most 1.1 s until the next look at the Lease, and two requests. The Lease itself expires after 15 s.
    expect(timeOf(gained) - timeOf(leader.lines().at(-1))).toBeLessThan(8_000)
    await until('every job ends', waitMs, () =>
      jobs.every((id) => world.emulator.control.job(id)?.result !== undefined),
    )
    expect(jobs.map((id) => world.emulator.control.job(id)?.runs)).toEqual(jobs.map(() => 1))
  } finally {
    await world.close()
  }
})

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** Starts `dayfly cluster` and `dayfly emulate github`, with latency before both, and creates the objects of one set. */
async function openProcesses(world: World, { apiMs, forgeMs }: { readonly apiMs: number; readonly forgeMs: number }) {
  const own = path.join(world.directory, 'own')
  mkdirSync(own)
  const direct = path.join(own, 'direct')
  const cluster = world.start('cluster', '--kubeconfig', direct)
  const forge = world.start('emulate', 'github', '--latency', String(forgeMs), '--json')
  await until('the cluster listens', waitMs, () => cluster.stdout().includes('export KUBECONFIG='))
  await until('the forge listens', waitMs, () => forge.stdout().includes('\n'))
  const { url, configUrl, token, jobsUrl } = JSON.parse(forge.stdout())
  const config = parse(readFileSync(direct, 'utf8'))
  const gate = await openSlowGate(Number(new URL(config.clusters[0].cluster.server).port), apiMs)
  config.clusters[0].cluster.server = `https://127.0.0.1:${gate.port}`
  const kubeconfig = path.join(own, 'slow')
  writeFileSync(kubeconfig, stringify(config))
  const clock = systemClock()
  const connection = connect(await loadKubeconfig(direct), clock)
  const kubernetes = createKubernetes({ transport: connection.transport, clock, random: systemRandom() })
  await kubernetes.create(definitions, runnerSetCrd() as never)
  await kubernetes.create(
    { ...pods, plural: 'namespaces', kind: 'Namespace', namespaced: false },
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'ci' },
    },
  )
  const metadata = { name: 'github', namespace: 'ci' }
  await kubernetes.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { github_token: token } })
  await kubernetes.create(runnerSets, runnerSet(configUrl, 20))
  const state = async () => (await (await fetch(`${url}/_emulator/state`)).json()) as EmulatorState
  const close = async () => {
    await connection.close()
    await gate.close()
  }
  return { kubeconfig, kubernetes, jobsUrl: String(jobsUrl), state, close }
}

type EmulatorState = {
  readonly jobs: readonly {
    readonly state: string
    readonly result?: string
    readonly runs: number
    readonly attempt: number
  }[]
  readonly runners: readonly unknown[]
}

test('a leader killed under 200 jobs loses none and runs none twice', { timeout: 900_000 }, async () => {
  const world = createWorld()
  const opened = await openProcesses(world, { apiMs: 150, forgeMs: 300 })
  const { kubeconfig, kubernetes, jobsUrl, state } = opened
  try {
    const start = () => startController(world.start, kubeconfig, ['--namespace', 'ci', '--lease-namespace', 'ci'])
    const { leader, standby } = await pair(start)
    await leader.saw('forge-connected')
    const body = JSON.stringify({ count: 200, labels: ['linux'], steps: [{ run: 'sleep 0.2' }] })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(jobsUrl, { method: 'POST', body, headers })).status).toBe(201)
    const finished = async () => (await state()).jobs.filter((job) => job.state === 'completed').length
    await until('some jobs have ended', 300_000, async () => (await finished()) >= 20)
    leader.child.kill('SIGKILL')
    await leader.ended
    const killedAt = Date.now()
    const gained = await standby.saw('leadership-gained', waitMs)
    expect(timeOf(gained)).toBeGreaterThan(killedAt - 50)
    expect(gained['identity']).not.toBe((await leader.saw('controller-started'))['identity'])
    const lease = await kubernetes.get(leases, { namespace: 'ci', name: 'dayfly' })
    expect((lease['spec'] as { readonly holderIdentity: string }).holderIdentity).toBe(gained['identity'])
    await until('every job ends', 600_000, async () => (await finished()) === 200)
    const { jobs } = await state()
    expect(jobs.filter(({ result, runs, attempt }) => result !== 'succeeded' || runs !== 1 || attempt !== 1)).toEqual(
      [],
    )
    const count = async (kind: Resource) => (await kubernetes.list(kind, { namespace: 'ci' })).items.length
    await until('nothing is left', 180_000, async () => {
      const left = [await count(pods), await count(secrets), (await state()).runners.length]
      return left.join() === '0,1,0'
    })
    const wrong = standby.lines().filter(({ level }) => level === 'error')
    expect(wrong).toEqual([])
  } finally {
    await opened.close()
    world.end()
  }
})
