// Kills `dayfly cluster --data-dir` at random moments while clients create and delete jobs, and starts it again each time.
// In the end every job must have run as if nothing had happened. Each job writes when it begins and ends into a file of its own.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { until, type World } from '../cli.ts'
import { dataOf, type KeptCluster, type Send, startKept } from './kept-cluster.ts'

type Job = {
  readonly name: string
  readonly lines: number
  readonly pauseMs: number
  readonly exitCode: number
  /** Its first attempt fails, and the second one succeeds. */
  readonly retries: boolean
  isCreated: boolean
  deletion: 'none' | 'asked' | 'acknowledged'
}

export type KillReport = {
  readonly kills: number
  readonly jobs: number
  readonly deleted: number
  /** How many jobs were between begin and end at the kills, in sum. */
  readonly runningAtKills: number
  readonly slowestStartMs: number
  /** The differences from a run without kills. */
  readonly faults: readonly string[]
}

const pods = '/api/v1/namespaces/default/pods'
const clients = 3
const settleMs = 180_000

/** @param killed called after each kill with the number of jobs so far */
export async function killJobs(
  world: World,
  kills: number,
  random: Random,
  killed: (kill: number, jobs: number) => void = () => {},
): Promise<KillReport> {
  const ledger = path.join(world.directory, 'own', 'ledger')
  mkdirSync(ledger, { recursive: true })
  const jobs: Job[] = []
  const faults: string[] = []
  let [runningAtKills, slowestStartMs] = [0, 0]
  const start = async () => {
    const cluster = await startKept(world)
    slowestStartMs = Math.max(slowestStartMs, cluster.cpuMs)
    return cluster
  }
  for (let kill = 0; kill < kills; kill++) {
    const cluster = await start()
    faults.push(...(await missing(cluster.send, jobs, `after kill ${kill}`)))
    const working = Array.from({ length: clients }, () => work(cluster.send, { jobs, ledger, random }))
    await new Promise((resolve) => setTimeout(resolve, randomInteger(random, 30, 900)))
    runningAtKills += jobs.filter(({ name }) => isRunning(ledger, name)).length
    await cluster.end('SIGKILL')
    await Promise.all(working)
    killed(kill + 1, jobs.length)
  }
  const last = await start()
  await until('every job has ended', settleMs, async () => (await alive(last.send)).length === 0)
  faults.push(...(await missing(last.send, jobs, 'in the end')))
  for (const job of jobs) faults.push(...(await check(last.send, ledger, job)))
  faults.push(...(await leave(world, last)))
  const deleted = jobs.filter(({ deletion }) => deletion === 'acknowledged').length
  return { kills, jobs: jobs.length, deleted, runningAtKills, slowestStartMs, faults }
}

type Work = { readonly jobs: Job[]; readonly ledger: string; readonly random: Random }

/** Creates jobs and deletes some of them, until the cluster is gone. */
async function work(send: Send, { jobs, ledger, random }: Work): Promise<void> {
  try {
    for (;;) {
      const job = newJob(`j${jobs.length}`, random)
      jobs.push(job)
      const created = await send('POST', pods, podOf(job, path.join(ledger, job.name)))
      if (created.status !== 201) throw new Error(`a job was refused with ${created.status}`)
      job.isCreated = true
      await new Promise((resolve) => setTimeout(resolve, randomInteger(random, 20, 200)))
      const victim = jobs[randomInteger(random, 0, jobs.length - 1)]
      if (random() > 0.2 || !victim?.isCreated || victim.deletion === 'acknowledged') continue
      victim.deletion = 'asked'
      const removed = await send('DELETE', `${pods}/${victim.name}`)
      if (removed.status !== 200 && removed.status !== 404) throw new Error(`a deletion got ${removed.status}`)
      victim.deletion = 'acknowledged'
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TransportError')) throw error
  }
}

function newJob(name: string, random: Random): Job {
  const retries = random() < 0.2
  const [lines, pauseMs] = [randomInteger(random, 1, 20), randomInteger(random, 10, 300)]
  const exitCode = retries ? 0 : randomInteger(random, 0, 120)
  return { name, lines, pauseMs, exitCode, retries, isCreated: false, deletion: 'none' }
}

function podOf({ name, lines, pauseMs, exitCode, retries }: Job, file: string): object {
  const script = [
    `echo begin >>${file}`,
    `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo line $i; sleep ${pauseMs / 1000}; done`,
    ...(retries ? [`[ "$(grep -c begin ${file})" = 1 ] && exit 3`] : []),
    `echo end >>${file}; exit ${exitCode}`,
  ].join('\n')
  const container = { name: 'main', image: 'any', command: ['sh', '-c', script] }
  const restartPolicy = retries ? 'OnFailure' : 'Never'
  return { metadata: { name }, spec: { restartPolicy, terminationGracePeriodSeconds: 1, containers: [container] } }
}

function entries(ledger: string, name: string): readonly string[] {
  const file = path.join(ledger, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

function isRunning(ledger: string, name: string): boolean {
  return entries(ledger, name).at(-1) === 'begin'
}

type PodObject = {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly status: {
    readonly phase: string
    readonly containerStatuses?: readonly {
      readonly restartCount: number
      readonly state: { readonly terminated?: { readonly exitCode: number; readonly reason: string } }
    }[]
  }
}

async function list(send: Send): Promise<readonly PodObject[]> {
  const { body } = await send('GET', pods)
  if (body.kind !== 'json') throw new Error('no list of pods')
  return (body.value as { readonly items: readonly PodObject[] }).items
}

/** Returns the pods that have not ended, or that are being deleted. */
async function alive(send: Send): Promise<readonly PodObject[]> {
  const isAlive = ({ metadata, status }: PodObject) =>
    metadata.deletionTimestamp !== undefined || !['Succeeded', 'Failed'].includes(status.phase)
  return (await list(send)).filter(isAlive)
}

/** Names the acknowledged jobs that do not exist. */
async function missing(send: Send, jobs: readonly Job[], when: string): Promise<readonly string[]> {
  const names = new Set((await list(send)).map(({ metadata }) => metadata.name))
  const lost = jobs.filter(({ name, isCreated, deletion }) => isCreated && deletion === 'none' && !names.has(name))
  return lost.map(({ name }) => `${name} is lost ${when}`)
}

/** Compares a job with what it was to do. */
async function check(send: Send, ledger: string, job: Job): Promise<readonly string[]> {
  const seen = entries(ledger, job.name)
  const begins = seen.filter((entry) => entry === 'begin').length
  const { status, body } = await send('GET', `${pods}/${job.name}`)
  if (status === 404) {
    const isAllowed = job.deletion !== 'none' || !job.isCreated
    return isAllowed && begins <= (job.retries ? 2 : 1) ? [] : [`${job.name} is gone after ${begins} runs`]
  }
  const faults: string[] = []
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) faults.push(`${job.name} ${what}: ${found}, not ${wanted}`)
  }
  if (body.kind !== 'json') return [`${job.name} cannot be read`]
  const pod = body.value as PodObject
  const container = pod.status.containerStatuses?.[0]
  if (job.deletion === 'acknowledged') faults.push(`${job.name} was deleted and exists`)
  expect('phase', pod.status.phase, job.exitCode === 0 ? 'Succeeded' : 'Failed')
  expect('exit code', container?.state.terminated?.exitCode, job.exitCode)
  expect('reason', container?.state.terminated?.reason, job.exitCode === 0 ? 'Completed' : 'Error')
  expect('restarts', container?.restartCount, job.retries ? 1 : 0)
  expect('runs', seen.join(' '), job.retries ? 'begin begin end' : 'begin end')
  const log = await send('GET', `${pods}/${job.name}/log`)
  const text = log.body.kind === 'text' ? log.body.text : log.body.kind
  expect('log', text, Array.from({ length: job.lines }, (_, index) => `line ${index + 1}\n`).join(''))
  return faults.length === 0 ? [] : [...faults, `${job.name} shows ${JSON.stringify(container)}`]
}

/** Deletes every pod and stops the cluster. Names what is left. */
async function leave(world: World, cluster: KeptCluster): Promise<readonly string[]> {
  await cluster.send('DELETE', pods)
  await until('every pod is gone', settleMs, async () => (await list(cluster.send)).length === 0)
  const containers = path.join(dataOf(world), 'containers')
  const folders = () => ['pods', 't'].flatMap((name) => readdirSync(path.join(containers, name)))
  await until('every directory is gone', 10_000, () => folders().length === 0).catch(() => undefined)
  await cluster.end('SIGTERM')
  const left = [...folders(), ...world.processes(), ...world.files()]
  return left.map((name) => `left behind: ${name}`)
}
