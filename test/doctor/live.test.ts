// Runs `dayfly doctor --live` as an operator does: the built program, a cluster behind HTTPS and a kubeconfig.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import type { Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { StoredObject } from '@dayfly/cluster/store/object'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { jsonReport } from '@dayfly/doctor/report/shape'
import type { Clock } from '@dayfly/kit/clock'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, until } from '../cli.ts'
import { grantRoles } from './granted-role.ts'

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

it('reports a cluster without runners and without custom kinds as clean', async () => {
  const { code, stdout, stderr } = await doctor()
  expect([code, stderr]).toEqual([0, ''])
  expect(jsonReport.parse(JSON.parse(stdout))).toMatchObject({ findings: [], coverage: { skipped: [] } })
})

it('finds a zombie, plans its deletion, and deletes only it once the digest is confirmed', async () => {
  await runPods()
  const looked = await doctor()
  expect(looked.code).toBe(1)
  expect(zombiesIn(looked.stdout)).toEqual(['zombie'])

  const planned = await doctor('--fix')
  expect([planned.code, zombiesIn(planned.stdout)]).toEqual([1, ['zombie']])
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec(planned.stderr)?.[1] ?? 'no digest'
  expect(planned.stderr).toContain(`plan ${digest}:\n  1. delete Pod default/zombie: its runner container has ended`)
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
  expect([images, log]).toEqual([`doctor-${digest}.images.jsonl`, `doctor-${digest}.log.jsonl`])
  expect(linesOf(images)).toMatchObject([{ step: 1, image: { kind: 'Pod', metadata: { name: 'zombie' } } }])
  expect(linesOf(log)).toMatchObject([
    { plan: digest, begins: 1 },
    { plan: digest, step: 1, rule: 'zombie-runner-pod', outcome: 'done', dryRun: 'accepted', event: 'recorded' },
  ])
  for (const file of [images, log]) expect(statSync(path.join(state(), file)).mode & 0o777).toBe(0o600)
  expect(statSync(state()).mode & 0o777).toBe(0o700)
  expect(zombiesIn((await doctor()).stdout)).toEqual([])
})

it('does nothing for a digest that is not that of the plan', async () => {
  await runPods()
  const { code, stderr } = await doctor('--fix', '--confirm', '0123456789abcdef')
  expect(stderr).toContain('refused: the plan is no longer the one that was confirmed (0123456789abcdef)')
  expect([code, podNames(), logs()]).toEqual([5, ['busy', 'zombie'], []])
  expect(pod('zombie').metadata.deletionTimestamp).toBeUndefined()
})

describe('--logs', () => {
  beforeEach(async () => {
    await runPods()
    createRunner('vain', vainImage)
    await until('the vain one runs', 20_000, () => statesOf('vain') === 'docker running, runner running')
  })

  it('finds a running runner without a job by the end of its log, and does not judge it without the log', async () => {
    const read = await doctor('--logs')
    expect(findingsIn(read.stdout)).toEqual(expect.arrayContaining(['LIV301 zombie', 'LIV306 vain']))
    expect(messageOf(read.stdout, 'LIV306')).toContain('its log ends with "A session for this runner already exists."')
    const { findings, coverage } = jsonReport.parse(JSON.parse((await doctor()).stdout))
    expect(findings.map(({ code }) => code)).not.toContain('LIV306')
    expect(coverage.skippedRules.map(({ code }) => code)).toContain('LIV306')
  })

  it('reports unreadable logs as unread, and finds everything else', async () => {
    const { stdout: yaml } = await runCli(['doctor', 'rbac'])
    const kubernetes = createKubernetes({
      transport: cluster.transport('admin'),
      clock: systemClock(),
      random: seededRandom(1),
    })
    await grantRoles(kubernetes, yaml, { namespace: 'default', name: 'doctor' })
    const file = path.join(folder, 'kubeconfig')
    writeFileSync(file, readFileSync(file, 'utf8').replace('token: secret', 'token: mounted'))
    const { code, stdout } = await doctor('--logs')
    expect([code, findingsIn(stdout)]).toEqual([1, expect.arrayContaining(['LIV301 zombie'])])
    const reason = 'not allowed to read them: see "dayfly doctor rbac --logs"'
    const { coverage } = jsonReport.parse(JSON.parse(stdout))
    expect(coverage.skipped).toEqual([{ file: 'pods/log', line: null, reason }])
    expect(coverage.skippedRules).toContainEqual({
      rule: 'runner-session-conflict',
      code: 'LIV306',
      reason: `the logs of runners could not be read: ${reason}`,
    })
  })
})

/** Its clock is twenty minutes late, so that its ended containers ended long ago for the doctor. */
function openCluster(): Cluster {
  const present = systemClock()
  const clock: Clock = { ...present, now: () => present.now() - 20 * 60_000 }
  const runtime = createScriptedRuntime({
    clock,
    script: ({ image }) => scripts[image] ?? {},
  })
  const users = new Map([
    ['secret', 'admin'],
    ['mounted', 'system:serviceaccount:default:doctor'],
  ])
  return createCluster({ clock, random: seededRandom(1), runtime, users })
}

const zombieImage = 'ghcr.io/actions/actions-runner:ends'
const vainImage = 'ghcr.io/actions/actions-runner:waits'
const scripts: Readonly<Record<string, Script>> = {
  [zombieImage]: { endsAfterMs: 0 },
  [vainImage]: { output: 'A session for this runner already exists.\n' },
}

/** A runner that has ended and one that works, each with Docker beside it as an ordinary container. */
async function runPods(): Promise<void> {
  createRunner('zombie', zombieImage)
  createRunner('busy', 'ghcr.io/actions/actions-runner:works')
  await until('the zombie has ended', 5_000, () => statesOf('zombie') === 'docker running, runner terminated')
  await until('the busy one runs', 5_000, () => statesOf('busy') === 'docker running, runner running')
}

function createRunner(name: string, image: string): void {
  const env = [{ name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: 'x' }]
  const containers = [
    { name: 'runner', image, env },
    { name: 'docker', image: 'docker:dind', securityContext: { privileged: true } },
  ]
  const spec = { restartPolicy: 'Never', containers }
  cluster.registry.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec })
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

/** The files that a repair leaves in the state folder. It leaves nothing in its working folder. */
function logs(): readonly string[] {
  expect(readdirSync(folder).filter((name) => name !== 'kubeconfig' && name !== 'state')).toEqual([])
  return existsSync(state()) ? readdirSync(state()) : []
}

function state(): string {
  return path.join(folder, 'state/dayfly')
}

function linesOf(file: string): readonly unknown[] {
  const text = readFileSync(path.join(state(), file), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function findingsIn(stdout: string): readonly string[] {
  return jsonReport.parse(JSON.parse(stdout)).findings.map(({ code, object }) => `${code} ${object.name}`)
}

function messageOf(stdout: string, rule: string): string | undefined {
  return jsonReport.parse(JSON.parse(stdout)).findings.find(({ code }) => code === rule)?.message
}

function zombiesIn(stdout: string): readonly string[] {
  return findingsIn(stdout).flatMap((line) => /^LIV301 (.+)/.exec(line)?.[1] ?? [])
}

function doctor(...args: readonly string[]) {
  const command = ['doctor', '--live', '--kubeconfig', 'kubeconfig', '--format', 'json', ...args]
  return runCli(command, { cwd: folder })
}
