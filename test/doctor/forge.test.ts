// Runs `dayfly doctor --live --github-url` as an operator does: the built program, a cluster behind HTTPS, and an emulated GitHub.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { arcKinds, createArc, definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { createGitHubAccount } from '@dayfly/forges/github/account'
import { occupy, plantRunners } from '@dayfly/forges/github/planted-runners.fixture'
import type { Clock } from '@dayfly/kit/clock'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../cli.ts'
import { runHere } from '../program-here.ts'

const token = 'ghp_good'
const random = seededRandom(1)
const present = systemClock()

const withoutToken = { GITHUB_TOKEN: undefined }
let folder: string
let cluster: Cluster
let emulator: GitHubEmulator
let forge: HttpServer
let lateMs: number

beforeEach(async () => {
  lateMs = 0
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-forge-'))
  writeFileSync(path.join(folder, 'token'), `${token}\n`, { mode: 0o600 })
  const runtime = createScriptedRuntime({ clock: present, script: () => ({}) })
  cluster = createCluster({ clock: present, random, runtime, users: new Map([['secret', 'admin']]) })
  const { origin: server, ca } = await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), kubeconfigText({ server, ca, user: 'admin', token: 'secret' }))
  const clock: Clock = { ...present, now: () => present.now() - lateMs }
  emulator = createGitHubEmulator({ clock, random, tokens: [token] })
  forge = await emulator.listen(0)
})
afterEach(async () => {
  await forge.close()
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

it('finds an orphan, plans its removal, and removes only it once the digest is confirmed', async () => {
  await leaveRunners()
  const asked = ['--github-url', url(), '--github-token-file', 'token']
  const looked = await doctor(asked)
  expect([looked.code, orphansIn(looked.stdout)]).toEqual([1, ['orphan']])

  const planned = await doctor([...asked, '--fix'])
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec(planned.stderr)?.[1] ?? 'no digest'
  expect(planned.stderr).toMatch(new RegExp(`^plan ${digest}:\n  1\\. .+ orphan\\b.*\n`, 'm'))
  expect([planned.code, await registered()]).toEqual([1, ['busy', 'orphan']])

  // A process of its own shows that the connections to the forge do not keep the program alive.
  const last = ['doctor', ...command(asked), '--fix', '--confirm', digest]
  const confirmed = await runCli(last, { cwd: folder, environment: withoutToken })
  expect(confirmed.stderr).toContain('1 of 1 step done')
  expect([confirmed.code, await registered()]).toEqual([0, ['busy']])

  const { code, stdout } = await doctor(asked)
  expect([code, orphansIn(stdout)]).toEqual([0, []])
  for (const output of [looked, planned, confirmed]) expect(output.stdout + output.stderr).not.toContain(token)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile() && entry.name !== 'token') expect(readFileSync(file, 'utf8')).not.toContain(token)
  }
})

it('keeps the registration of a runner that returned after the plan', async () => {
  await leaveRunners()
  const asked = ['--github-url', url(), '--github-token-file', 'token', '--fix']
  const digest = /with --confirm ([0-9a-f]{16})$/m.exec((await doctor(asked)).stderr)?.[1] ?? 'no digest'
  emulator.control.stub.online('orphan')
  const { code } = await doctor([...asked, '--confirm', digest])
  expect([code, await registered()]).toEqual([5, ['busy', 'orphan']])
})

it('analyses a part and removes nothing if the forge refuses the token or is missing', async () => {
  await leaveRunners()
  const asked = ['--github-url', url(), '--fix']
  const refused = await doctor(asked, { GITHUB_TOKEN: 'ghp_bad' })
  expect(skippedIn(refused.stdout)).toEqual([
    expect.stringMatching(/^Registration: the account .+ could not be read: The credential /),
  ])
  expect(refused.stderr).toContain('plan: nothing to do')
  expect(refused.stdout + refused.stderr).not.toContain('ghp_bad')
  expect([refused.code, await registered()]).toEqual([4, ['busy', 'orphan']])

  const gone = await doctor(['--github-url', 'http://127.0.0.1:1/acme'], { GITHUB_TOKEN: token })
  expect(skippedIn(gone.stdout)).toEqual([
    expect.stringMatching(/^Registration: the account http:\/\/127\.0\.0\.1:1\/acme could not be read: /),
  ])
  expect(gone.code).toBe(4)
})

it('reports the cluster if the cluster refuses, too', async () => {
  const file = path.join(folder, 'kubeconfig')
  writeFileSync(file, readFileSync(file, 'utf8').replace('token: secret', 'token: wrong'))
  const { code, stderr } = await doctor(['--github-url', url()], { GITHUB_TOKEN: 'ghp_bad' })
  expect(stderr).toMatch(/^error cluster-unreadable: Nothing of the cluster could be read; (?!Registration)/)
  // Without a finding the exit code is not 1, which means that there are some.
  expect(code).toBe(3)
})

it.each([
  [['--github-url', 'https://github.com/acme'], 'github-token-missing'],
  [['--github-url', 'https://github.com/acme', '--github-token-file', 'none'], 'github-token-missing'],
  [['--github-url', 'https://github.com/acme', '--github-token-file', 'kubeconfig'], 'github-token-invalid'],
  [['--github-url', 'github.com/acme', '--github-token-file', 'token'], 'github-url-invalid'],
  [['--github-url', 'http://github.example/acme', '--github-token-file', 'token'], 'github-url-insecure'],
  [['--github-token-file', 'token'], 'usage'],
])('refuses %j: %s', async (args, failure) => {
  const { code, stderr } = await doctor(args)
  expect(stderr).toMatch(new RegExp(`^error ${failure}: .+\n  next: .+\n$`))
  expect(code).toBe(2)
})

it('grants reading logs for --logs only, and nothing for actions at the forge', async () => {
  const plain = await run(['rbac'])
  const logs = await run(['rbac', '--logs'])
  expect(plain.stdout).not.toContain('pods/log')
  expect(logs.stdout).toMatch(/resources:\n {6}- pods\/log\n {4}verbs:\n {6}- get\n/)
  expect(await run(['rbac', '--fixes', 'orphan-registration'])).toEqual(plain)
  expect((await run(['--logs'])).stderr).toMatch(/^error usage: .*--logs is for a cluster/)
  expect((await doctor(['--logs'])).code).toBe(0)
})

/** Two registrations, two hours old, for a set of the cluster, which has neither runner. One is idle, one has a job. */
async function leaveRunners(): Promise<void> {
  const planting = { emulator, url: url(), token, clock: present, random }
  lateMs = 2 * 3_600_000
  const id = await plantRunners(planting, 'builds', ['orphan', 'busy'])
  lateMs = 0
  await occupy(planting, { id, set: 'builds', runner: 'busy' })
  const { registry } = cluster
  for (const [kind, resource] of Object.entries(arcKinds)) {
    registry.create('customresourcedefinitions.apiextensions.k8s.io', definitionOf(kind, resource))
  }
  const annotations = { 'runner-scale-set-id': String(id) }
  const metadata = { name: 'builds', namespace: 'default', annotations }
  createArc(registry, 'AutoscalingRunnerSet', metadata, { spec: { githubConfigUrl: url() } })
}

function url(): string {
  return `${forge.origin}/acme`
}

async function registered(): Promise<readonly string[]> {
  const credential = { kind: 'token', token } as const
  const { transport } = emulator
  const account = createGitHubAccount({ url: url(), credential, transport, clock: present, random, userAgent: 'test' })
  return (await account.registrations()).map(({ name }) => name).sort()
}

function orphansIn(stdout: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings.filter(({ code }) => code === 'LIV307').map(({ object }) => object.name)
}

function skippedIn(stdout: string): readonly string[] {
  const { coverage } = jsonReport.parse(JSON.parse(stdout))
  return coverage.skipped.map(({ file, reason }) => `${file}: ${reason}`)
}

function doctor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return run(command(args), environment)
}

function command(args: readonly string[]): readonly string[] {
  return ['--live', '--kubeconfig', 'kubeconfig', '--format', 'json', ...args]
}

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runHere(['doctor', ...args], { cwd: folder, environment: { ...withoutToken, ...environment } })
}
