import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type HomeKeeper, homeKeeper } from '@dayfly/cluster/command/home'
import { pods, secrets } from '@dayfly/controller/resources'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGitHub } from './github/forge.ts'
import { describeLeftovers, isClean, type Leftovers } from './leftovers.ts'
import { type DemoStage, openStage } from './stage.ts'

const clock = systemClock()
const environment = { PATH: process.env['PATH'] ?? '' }
let keeper: HomeKeeper
let stage: DemoStage

beforeAll(async () => {
  keeper = homeKeeper(clock)
  const options = { home: keeper.home, clock, random: systemRandom(), max: 2, runner: '/none', environment }
  stage = await openStage({ ...options, openForge: openGitHub, userAgent: 'test', onEntry: () => {} })
})
afterAll(async () => {
  await stage.stop()
  await keeper.remove()
})

const nothing: Leftovers = { pods: [], secrets: [], registrations: [], processes: [], directories: [] }

/** Creates a leftover, expects a report of exactly this one, and removes it. */
async function plant(kind: keyof Leftovers, name: RegExp, leak: () => Promise<() => unknown>): Promise<void> {
  expect(stage.leftovers()).toEqual(nothing)
  const remove = await leak()
  const found = stage.leftovers()
  expect(found).toEqual({ ...nothing, [kind]: [expect.stringMatching(name)] })
  expect(isClean(found)).toBe(false)
  expect(describeLeftovers(found)).toEqual([expect.stringMatching(`^left behind: ${kind}: `)])
  await remove()
  const deadline = clock.now() + 5_000
  while (!isClean(stage.leftovers()) && clock.now() < deadline) await clock.sleep(10)
  expect(stage.leftovers()).toEqual(nothing)
}

/** Calls GitHub's REST API for runners like another client of the same account. */
async function rest(method: string, at: string, body?: object): Promise<unknown> {
  const secret = await stage.kubernetes.get(secrets, { namespace: 'default', name: 'github' })
  const { github_token = '' } = secret['data'] as Readonly<Record<string, string>>
  const { origin } = new URL(stage.forge.url)
  const answer = await fetch(`${origin}/api/v3/orgs/demo/actions/runners${at}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${Buffer.from(github_token, 'base64')}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  expect(answer.ok, text).toBe(true)
  return text === '' ? undefined : JSON.parse(text)
}

/** Waits until the shell's process has become the program: until then, its command line is the shell's, or empty. */
async function replaced(pid: number | undefined, program: string): Promise<void> {
  while (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(program)) await clock.sleep(5)
}

test('finds a pod', () =>
  plant('pods', /^left$/, async () => {
    const at = { namespace: 'kube-public', name: 'left' }
    const spec = { nodeName: 'no-such-node', containers: [{ name: 'a', image: 'a', command: ['true'] }] }
    await stage.kubernetes.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: at, spec })
    return () => stage.kubernetes.delete(pods, at, { gracePeriodSeconds: 0 })
  }))

test('finds a Secret', () =>
  plant('secrets', /^left$/, async () => {
    const at = { namespace: 'default', name: 'left' }
    await stage.kubernetes.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: at })
    return () => stage.kubernetes.delete(secrets, at)
  }))

test('finds a registration', () =>
  plant('registrations', /^left$/, async () => {
    const body = { name: 'left', runner_group_id: 1, labels: ['left'] }
    const { runner } = (await rest('POST', '/generate-jitconfig', body)) as { readonly runner: { readonly id: number } }
    return () => rest('DELETE', `/${runner.id}`)
  }))

test('finds a process without its session, environment and directory by a known parent', () =>
  plant('processes', /sleep 300.*parentage/, async () => {
    const child = spawn('/bin/sh', ['-c', 'cd /; exec setsid env -i sleep 300'], { stdio: 'ignore', cwd: '/' })
    await replaced(child.pid, 'sleep')
    return () => child.kill('SIGKILL')
  }))

test('finds a process without a known parent by its working directory', () =>
  plant('processes', /sleep 301.*directory/, async () => {
    const child = spawn('/bin/sh', ['-c', '(setsid env -i sleep 301 & echo $!) '], {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: keeper.home.cluster,
    })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    const pid = await new Promise<number>((resolve) => child.stdout.once('data', (data) => resolve(Number(data))))
    await exited
    await replaced(pid, 'sleep')
    return () => process.kill(pid, 'SIGKILL')
  }))

test('finds a directory', () =>
  plant('directories', /pods\/left$/, async () => {
    const directory = path.join(keeper.home.cluster, 'pods', 'left')
    mkdirSync(directory, { recursive: true })
    return () => rmSync(directory, { recursive: true })
  }))
