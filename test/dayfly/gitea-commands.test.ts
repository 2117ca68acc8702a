// Runs status, explain and plan on RunnerSets of Gitea as an operator does: the built program, a cluster behind HTTPS, and an emulated Gitea.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { createGiteaEmulator, type GiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runHere } from '../program-here.ts'

const clock = systemClock()
const random = seededRandom(1)
const token = 's3cret-token'

let folder: string
let cluster: Cluster
let emulator: GiteaEmulator
let forge: HttpServer

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gitea-commands-'))
  const runtime = createScriptedRuntime({ clock, script: () => ({}) })
  cluster = createCluster({ clock, random, runtime, users: new Map([['secret', 'admin']]) })
  const { origin: server, ca } = await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), kubeconfigText({ server, ca, user: 'admin', token: 'secret' }))
  emulator = createGiteaEmulator({
    clock,
    random,
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: [{ token, user: 'ci', scopes: ['all'], isSiteAdmin: true }],
  })
  forge = await emulator.listen(0)
  const { registry } = cluster
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  registry.create('namespaces', { metadata: { name: 'ci' } })
  registry.create('secrets', {
    metadata: { name: 'gitea', namespace: 'ci' },
    data: { gitea_token: Buffer.from(token).toString('base64') },
  })
  addSet('big', ['gpu'])
  addSet('small')
})
afterEach(async () => {
  await forge.close()
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

it('plan --forge gives each waiting job to one set of the account, and knows the runners of a set by their names', async () => {
  const jobs = [['gpu', 'big'], ['gpu', 'big'], ['small'], ['arm64']]
  emulator.control.queueJobs(jobs.map((labels) => ({ repository: 'acme/app', labels })))
  const { sets } = JSON.parse((await run('plan', '--forge', '--json')).stdout)
  expect(sets).toMatchObject([
    { name: 'big', demandFrom: 'forge', demand: 2, wanted: 2 },
    { name: 'small', demandFrom: 'forge', demand: 1, wanted: 1 },
  ])
  const text = (await run('plan', 'small', '--forge')).stdout
  expect(text).not.toContain('no record of this set')
  emulator.control.revoke(token)
  expect((await run('plan', 'small', '--forge')).stdout).toMatch(/The state at the forge: the forge did not\s+answer/)
})

it('status and explain name the jobs that no set can have, with their labels and the next step', async () => {
  const job = (id: string, name: string) => ({ id, name, repository: 'acme/app', labels: ['arm64', '\u001b[2Jgpu'] })
  const unserved = { count: 3, jobs: [job('71', 'build'), job('72', 'test \u0007')] }
  const before = cluster.registry.get('runnersets.dayfly.dev', 'ci', 'big')
  const status = { demand: 2, busy: 1, unserved, jobs: [] }
  cluster.registry.update('runnersets.dayfly.dev', { ...before, status }, { subresource: 'status' })
  const shown = await run('status')
  expect(shown.stdout).toMatch(
    /ci\/big: Job build of acme\/app waits for runs-on: arm64, .*gpu\. No RunnerSet of\s+this\s+account has all of these\s+labels\./,
  )
  expect(shown.stdout).toContain('ci/big: 1 more job waits like this.')
  expect(JSON.parse((await run('status', '--json')).stdout).sets[0]).toMatchObject({ unserved: { count: 3 } })
  expect((await run('explain', 'big')).stdout).toMatch(
    /\nJobs that no set can have:\n {2}• Job build .*\n {2}next: Give/s,
  )
  const explained = await run('explain', 'job/buil')
  expect([explained.code, explained.stdout]).toEqual([
    1,
    expect.stringMatching(/^Job build: waiting\n {2}Job build of/),
  ])
  const json = JSON.parse((await run('explain', '72', '--json')).stdout)
  expect(json.unserved).toMatchObject([{ shownBy: 'big', job: { id: '72' }, next: expect.any(String) }])
  for (const { stdout } of [shown, explained, await run('explain', '72')]) {
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  }
})

/** The set has no controller here: plan decides on what the forge says. */
function addSet(name: string, labels: readonly string[] = []): void {
  const gitea = { url: `${forge.origin}/acme`, credentials: { secret: 'gitea' }, labels }
  cluster.registry.create('runnersets.dayfly.dev', {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name, namespace: 'ci' },
    spec: { gitea, scale: { max: 5 } },
  })
}

function run(...args: readonly string[]) {
  return runHere([...args, '-n', 'ci', '--kubeconfig', 'kubeconfig'], { cwd: folder })
}
