// Runs the doctor and the sweep with `--gitea-url` as an operator does: the built program, a cluster behind HTTPS, and an emulated Gitea.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { createGiteaEmulator, type GiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import type { Clock } from '@dayfly/kit/clock'
import { noBody } from '@dayfly/kit/http'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runHere } from '../program-here.ts'

const token = 's3cret-token'
const random = seededRandom(1)
const present = systemClock()
const [old, young] = ['old-0a1b2-bbbbbbbbbb', 'old-0a1b2-ccccccccc2']

let folder: string
let cluster: Cluster
let emulator: GiteaEmulator
let forge: HttpServer
let lateMs: number
let prefix: string

beforeEach(async () => {
  lateMs = 0
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-gitea-'))
  const runtime = createScriptedRuntime({ clock: present, script: () => ({}) })
  cluster = createCluster({ clock: present, random, runtime, users: new Map([['secret', 'admin']]) })
  const { origin: server, ca } = await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), kubeconfigText({ server, ca, user: 'admin', token: 'secret' }))
  const clock: Clock = { ...present, now: () => present.now() - lateMs }
  emulator = createGiteaEmulator({
    clock,
    random,
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: [
      { token, user: 'ci', scopes: ['all'], isSiteAdmin: true },
      { token: 'member', user: 'ann', scopes: ['all'], roles: { acme: 'member' } },
    ],
    knobs: { pickUpMs: 0 },
  })
  forge = await emulator.listen(0)
  prefix = createOwners()
  lateMs = 2 * 3_600_000
  for (const name of [`${prefix}aaaaaaaaaa`, old, 'act-runner-1', 'other']) await register(name)
  // A job of a later runner shows how old the others are at least.
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'], durationMs: 0 }])
  emulator.control.stub.online('other')
  await until(() => !registered().includes('other'))
  lateMs = 0
  for (const name of [`${prefix}bbbbbbbbbb`, young]) await register(name)
})
afterEach(async () => {
  await forge.close()
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

it('the doctor finds registrations that are left, and removes that of a RunnerSet after a cordon', async () => {
  const looked = await run('doctor', '--live', '--format', 'json')
  expect([looked.code, orphansIn(looked.stdout)]).toEqual([1, ['act-runner-1', `${prefix}aaaaaaaaaa`]])
  const planned = await run('doctor', '--live', '--fix')
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec(planned.stderr)?.[1] ?? 'no digest'
  expect(planned.stderr).toMatch(
    /Registration act-runner-1.*make sure that no other cluster has a runner of this name/s,
  )
  const before = emulator.control.requests().length
  const confirmed = await run('doctor', '--live', '--fix', '--confirm', digest)
  expect(confirmed.stderr).toContain('1 of 1 step done')
  const changes = emulator.control.requests(before).filter(({ method }) => method === 'PATCH' || method === 'DELETE')
  expect(changes.map(({ method }) => method)).toEqual(['PATCH', 'DELETE'])
  expect(registered()).toEqual(['act-runner-1', `${prefix}bbbbbbbbbb`, old, young].sort())
  expect(confirmed.stdout + confirmed.stderr + planned.stderr).not.toContain(token)
})

it('47: the doctor warns if the user of the token does not own the organization', async () => {
  const { code, stdout } = await runAs('member', 'doctor', '--live')
  const warning = 'not examined: Registration: .* its user must own the organization'
  expect([code, stdout]).toEqual([4, expect.stringMatching(new RegExp(warning))])
})

it('the sweep removes what a lost installation left, if a job shows that it is an hour old', async () => {
  const plan = JSON.parse((await run('sweep', '--json')).stdout)
  expect(plan.steps.map(({ sentence }: { readonly sentence: string }) => sentence)).toEqual([
    `remove the registration ${old} at the forge`,
  ])
  expect(plan.untouched).toEqual([
    { what: `registration ${young}`, because: expect.stringContaining('its age is not known') },
  ])
  const done = await run('sweep', '--confirm', plan.digest)
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('1 of 1 steps done')])
  expect(registered()).not.toContain(old)
  const scoped = await run('sweep', '-n', 'ci')
  expect([scoped.code, scoped.stderr]).toEqual([2, expect.stringContaining('--gitea-url needs the sets of all')])
})

/** A RunnerSet at the emulated Gitea, and the runners of Gitea's chart, scaled down to one. Returns the beginning of the set's names. */
function createOwners(): string {
  const { registry } = cluster
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  registry.create('namespaces', { metadata: { name: 'ci' } })
  const containers = [{ name: 'act-runner', image: 'gitea/act_runner:0.2.13' }]
  const labels = { app: 'act-runner' }
  registry.create('statefulsets.apps', {
    metadata: { name: 'act-runner', namespace: 'ci' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  })
  const { metadata } = registry.create('runnersets.dayfly.dev', {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name: 'linux', namespace: 'ci' },
    spec: { gitea: { url: `${forge.origin}/acme`, credentials: { secret: 'gitea' } }, scale: { max: 1 } },
  })
  return runnerPrefix({ name: metadata.name, uid: metadata.uid ?? '' })
}

async function register(name: string): Promise<void> {
  const { transport } = emulator
  const base = { method: 'POST', query: {}, expect: 'whole' } as const
  const given = await transport({
    ...base,
    path: '/api/v1/orgs/acme/actions/runners/registration-token',
    headers: { authorization: `token ${token}` },
    body: noBody,
  })
  const value = { name, token: Object(given.body).value.token, labels: ['linux'], ephemeral: true }
  const path = '/api/actions/runner.v1.RunnerService/Register'
  expect((await transport({ ...base, path, headers: {}, body: { kind: 'json', value } })).status).toBe(200)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await present.sleep(5)
}

function registered(): readonly string[] {
  return emulator.control
    .runners()
    .map(({ name }) => name)
    .sort()
}

function orphansIn(stdout: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings
    .filter(({ code }) => code === 'LIV307')
    .map(({ object }) => object.name)
    .sort()
}

function run(...args: readonly string[]) {
  return runAs(token, ...args)
}

function runAs(who: string, ...args: readonly string[]) {
  const all = [...args, '--kubeconfig', 'kubeconfig', '--gitea-url', `${forge.origin}/acme`]
  return runHere(all, { cwd: folder, environment: { GITEA_TOKEN: who } })
}
