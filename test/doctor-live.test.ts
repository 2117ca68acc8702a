// `dayfly doctor --live` as its users run it: the built program, a cluster behind HTTPS and a kubeconfig.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { jsonReport } from '../src/doctor/reporters/shape.ts'
import type { StoredObject } from '../src/embedded/api/object.ts'
import { type Cluster, createCluster } from '../src/embedded/cluster.ts'
import { createScriptedRuntime } from '../src/embedded/runtime/scripted/scripted-runtime.ts'
import { kubeconfigText } from '../src/embedded/wire/kubeconfig.ts'
import type { Clock } from '../src/lib/clock.ts'
import { seededRandom } from '../src/lib/random.ts'
import { systemClock } from '../src/lib/system.ts'
import { runCli, until } from './cli.ts'

let folder: string
let cluster: Cluster

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-live-'))
  cluster = openCluster()
  const { origin: server, ca } = await cluster.listen()
  const text = kubeconfigText({ server, ca, user: 'admin', token: 'secret' })
  writeFileSync(path.join(folder, 'kubeconfig'), text, { mode: 0o600 })
})
afterEach(async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

it('a cluster without runners is clean, though nobody installed a custom kind', async () => {
  const { code, stdout, stderr } = await doctor()
  expect([code, stderr]).toEqual([0, ''])
  expect(jsonReport.parse(JSON.parse(stdout))).toMatchObject({ findings: [], coverage: { skipped: [] } })
})

it('finds a zombie, plans its end, and ends it and nothing else once the digest is confirmed', async () => {
  await runPods()
  const looked = await doctor()
  expect(looked.code).toBe(1)
  expect(zombiesIn(looked.stdout)).toEqual(['zombie'])

  const planned = await doctor('--fix')
  expect([planned.code, zombiesIn(planned.stdout)]).toEqual([1, ['zombie']])
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec(planned.stderr)?.[1] ?? 'no digest'
  expect(planned.stderr).toContain(
    `plan ${digest}:\n  1. delete Pod default/zombie, for its runner container has ended`,
  )
  const byHand = planned.stderr.match(/^ {2}by hand: .+$/gm) ?? []
  expect(byHand).toContainEqual(expect.stringMatching(/Pod default\/busy and 1 more, dind-ordinary-container: .+/))
  expect(new Set(byHand).size).toBe(byHand.length)
  expect([podNames(), logs()]).toEqual([['busy', 'zombie'], []])

  const confirmed = await doctor('--fix', '--confirm', digest)
  expect(confirmed.stderr).toMatch(/^ {2}1\. done: delete Pod default\/zombie \(it is (gone|being deleted)\)$/m)
  expect(confirmed.stderr).not.toContain('nothing is done yet')
  expect(confirmed.code).toBe(0)
  await until('the zombie is gone', 5_000, () => !podNames().includes('zombie'))
  expect(podNames()).toEqual(['busy'])
  expect(pod('busy').metadata.deletionTimestamp).toBeUndefined()

  const [images = '', log = ''] = logs()
  expect([images, log]).toEqual([`dayfly-doctor-${digest}.images.jsonl`, `dayfly-doctor-${digest}.log.jsonl`])
  expect(linesOf(images)).toMatchObject([{ step: 1, image: { kind: 'Pod', metadata: { name: 'zombie' } } }])
  expect(linesOf(log)).toMatchObject([
    { plan: digest, begins: 1 },
    { plan: digest, step: 1, rule: 'zombie-runner-pod', outcome: 'done', dryRun: 'accepted', event: 'recorded' },
  ])
  for (const file of [images, log]) expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600)
  expect(zombiesIn((await doctor()).stdout)).toEqual([])
})

it('does nothing for a digest that is not the plan', async () => {
  await runPods()
  const { code, stderr } = await doctor('--fix', '--confirm', '0123456789abcdef')
  expect(stderr).toContain('refused: the plan is no longer the one that was confirmed (0123456789abcdef)')
  expect([code, podNames(), logs()]).toEqual([5, ['busy', 'zombie'], []])
  expect(pod('zombie').metadata.deletionTimestamp).toBeUndefined()
})

/** Its clock goes twenty minutes late, so that what ends in it has long ended for the doctor. */
function openCluster(): Cluster {
  const present = systemClock()
  const clock: Clock = { ...present, now: () => present.now() - 20 * 60_000 }
  const runtime = createScriptedRuntime({
    clock,
    script: ({ image }) => (image === zombieImage ? { endsAfterMs: 0 } : {}),
  })
  return createCluster({ clock, random: seededRandom(1), runtime, users: new Map([['secret', 'admin']]) })
}

const zombieImage = 'ghcr.io/actions/actions-runner:ends'

/** A runner that has ended and one that works, each with Docker beside it as an ordinary container. */
async function runPods(): Promise<void> {
  for (const [name, image] of [
    ['zombie', zombieImage],
    ['busy', 'ghcr.io/actions/actions-runner:works'],
  ] as const) {
    const env = [{ name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: 'x' }]
    const containers = [
      { name: 'runner', image, env },
      { name: 'docker', image: 'docker:dind', securityContext: { privileged: true } },
    ]
    const spec = { restartPolicy: 'Never', containers }
    cluster.registry.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec })
  }
  await until('the zombie has ended', 5_000, () => statesOf('zombie') === 'docker running, runner terminated')
  await until('the busy one runs', 5_000, () => statesOf('busy') === 'docker running, runner running')
}

function statesOf(name: string): string {
  const { containerStatuses = [] } = (pod(name)['status'] ?? {}) as {
    containerStatuses?: { name: string; state: object }[]
  }
  return containerStatuses
    .map((one) => `${one.name} ${Object.keys(one.state)}`)
    .sort()
    .join(', ')
}

function pod(name: string): StoredObject {
  const found = cluster.registry.get('pods', 'default', name)
  if (!found) throw new Error(`no pod ${name}`)
  return found
}

function podNames(): readonly string[] {
  return cluster.registry
    .list('pods')
    .map(({ metadata }) => metadata.name)
    .sort()
}

/** What a repair leaves where it was started. */
function logs(): readonly string[] {
  return readdirSync(folder).filter((name) => name !== 'kubeconfig')
}

function linesOf(file: string): readonly unknown[] {
  const text = readFileSync(path.join(folder, file), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function zombiesIn(stdout: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings.filter(({ code }) => code === 'LIV301').map(({ object }) => object.name)
}

function doctor(...args: readonly string[]) {
  const command = ['doctor', '--live', '--kubeconfig', 'kubeconfig', '--format', 'json', ...args]
  return runCli(command, { cwd: folder })
}
