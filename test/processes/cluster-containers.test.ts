// Kills and stops `dayfly cluster --data-dir` while containers run: they go on, and the next start takes them over.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { seededRandom } from '@dayfly/kit/random'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, until, type World } from '../cli.ts'
import { dataOf, type Send, startKept } from '../cluster/kept-cluster.ts'
import { killJobs } from '../cluster/killed-jobs.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.end())

const pods = '/api/v1/namespaces/default/pods'
const maps = '/api/v1/namespaces/default/configmaps'

async function text(send: Send, target: string): Promise<string> {
  const { body } = await send('GET', target)
  return body.kind === 'text' ? body.text : ''
}

async function podOf(send: Send, name: string) {
  const { body } = await send('GET', `${pods}/${name}`)
  if (body.kind !== 'json') throw new Error(`no pod ${name}`)
  // biome-ignore lint/suspicious/noExplicitAny: the test reads a few fields of a known pod.
  return body.value as any
}

async function create(send: Send, name: string, script: string, more: object = {}): Promise<void> {
  const container = { name: 'main', image: 'any', command: ['sh', '-c', script], ...more }
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 5, containers: [container] }
  expect((await send('POST', pods, { metadata: { name }, spec })).status).toBe(201)
}

const isRunning = async (send: Send, name: string) => (await podOf(send, name)).status.phase === 'Running'

test('jobs under load run once, with their exit codes and logs, over random kills', async () => {
  const kills = Number(process.env['DAYFLY_KILLS'] ?? 12)
  const report = await killJobs(world, kills, seededRandom(Number(process.env['DAYFLY_FUZZ_SEED'] ?? 1)))
  process.stdout.write(`${JSON.stringify(report)}\n`)
  expect(report.faults).toEqual([])
  // The kills must have come while jobs ran.
  expect(report.runningAtKills).toBeGreaterThan(kills)
}, 1_800_000)

test('an orderly end and a kill leave containers running, with probes, logs, port and a graceful stop as before', async () => {
  const first = await startKept(world)
  const probe = { exec: { command: ['sh', '-c', 'echo probe >>"$DAYFLY_ROOT/probes"'] }, periodSeconds: 1 }
  const script = 'trap "echo bye; exit 9" TERM; n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.1; done'
  await create(first.send, 'long', script, { readinessProbe: probe })
  await until('it is ready', 30_000, async () => (await podOf(first.send, 'long')).status.containerStatuses?.[0].ready)
  const before = await podOf(first.send, 'long')
  await first.end('SIGTERM')
  expect(first.cli.stderr()).toContain('1 container keeps running.')
  const second = await startKept(world)
  expect(second.url).toBe(first.url)
  const probes = path.join(dataOf(world), 'containers/pods', before.metadata.uid, 'main.0/root/probes')
  const count = () => readFileSync(probes, 'utf8').split('\n').length
  const counted = count()
  await until('probes go on', 30_000, () => count() > counted)
  await second.end('SIGKILL')
  const third = await startKept(world)
  await until('the log goes on', 30_000, async () => /tick 9\d/.test(await text(third.send, `${pods}/long/log`)))
  const after = await podOf(third.send, 'long')
  expect(after.status).toEqual(before.status)
  // The times of lines from before the kills are kept.
  const stamped = await third.send('GET', `${pods}/long/log?timestamps=true`)
  expect(stamped.status).toBe(200)
  expect((await third.send('DELETE', `${pods}/long`)).status).toBe(200)
  const log = text(third.send, `${pods}/long/log?follow=true`)
  expect(await log).toMatch(/^tick 1\ntick 2\n(.*\n)*bye\n$/)
  await until('it is gone', 30_000, async () => (await third.send('GET', `${pods}/long`)).status === 404)
  await third.end('SIGTERM')
  expect([third.cli.stderr(), world.processes(), world.files()]).toEqual(['', [], []])
}, 180_000)

test('a container whose pod was deleted while the command was dead is ended at the next start', async () => {
  const first = await startKept(world)
  await create(first.send, 'deaf', 'trap "" TERM; echo up; while :; do sleep 1; done')
  await until('it runs', 30_000, () => isRunning(first.send, 'deaf'))
  // The deletion is acknowledged, and the kill comes before the end of the grace period.
  expect((await first.send('DELETE', `${pods}/deaf`)).status).toBe(200)
  await first.end('SIGKILL')
  expect(world.processes().length).toBeGreaterThan(0)
  const second = await startKept(world)
  await until('it is gone', 30_000, async () => (await second.send('GET', `${pods}/deaf`)).status === 404)
  await second.end('SIGTERM')
  expect([world.processes(), world.files()]).toEqual([[], []])
}, 120_000)

test('a disk that refuses a write ends the command with a clear error, and what was acknowledged is there', async () => {
  const { send, cli } = await startKept(world)
  await create(send, 'job', 'sleep 3; echo done; exit 4')
  await until('it runs', 30_000, () => isRunning(send, 'job'))
  const journal = path.join(dataOf(world), 'journal')
  // From here on, the kernel refuses to let a file of the command grow by more than this.
  const limit = statSync(journal).size + 20_000
  execFileSync('prlimit', [`--fsize=${limit}`, '--pid', String(cli.child.pid)])
  let written = 0
  const fill = async () => {
    for (; written < 1_000; written++) {
      const data = { text: 'x'.repeat(1_000) }
      if ((await send('POST', maps, { metadata: { name: `m${written}` }, data })).status !== 201) return
    }
  }
  await fill().catch(() => undefined)
  expect(await cli.ended).toMatchObject({ code: 1 })
  const [error, next] = cli.stderr().split('\n')
  expect(error).toMatch(/^error data-directory-write-failed: .*journal cannot be written: EFBIG/)
  expect(next).toContain('start the cluster again with the same --data-dir')
  expect(written).toBeGreaterThan(5)
  const again = await startKept(world)
  const { body } = await again.send('GET', maps)
  if (body.kind !== 'json') throw new Error('no list')
  const { items } = body.value as { items: { metadata: { name: string } }[] }
  const names = new Set(items.map(({ metadata }) => metadata.name))
  for (let index = 0; index < written; index++) expect(names).toContain(`m${index}`)
  await until('the job has ended', 30_000, async () => (await podOf(again.send, 'job')).status.phase === 'Failed')
  expect((await podOf(again.send, 'job')).status.containerStatuses[0].state.terminated.exitCode).toBe(4)
  expect(await text(again.send, `${pods}/job/log`)).toBe('done\n')
  await again.end('SIGTERM')
}, 120_000)
