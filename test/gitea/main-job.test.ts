// The main job on a forge that nobody here wrote: a real Gitea, the embedded cluster, and the controller as processes. Each job runs once, and
// nothing is left at the forge or in the cluster, also if the controller is killed, the server restarts, or answers are late or lost.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pods, secrets } from '@dayfly/controller/resources'
import { isFull } from '@dayfly/kit/full.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { listAt } from '@dayfly/kit/read-json'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../cli.ts'
import type { ControllerProcess } from '../controller/process-world.ts'
import { openControllerStage } from './controller-stage.ts'
import { type Gitea, type Level, openGitea } from './open-gitea.ts'
import { openRelay } from './relay.ts'

const max = 20
const jobCount = isFull ? 200 : 40

let gitea: Gitea
/** It has the one scope that a set of a repository needs. */
let token: string
beforeAll(async () => {
  gitea = await openGitea()
  await gitea.createOrganization('acme')
  token = await gitea.createToken(gitea.server.admin.name, 'write:repository')
})
afterAll(() => gitea?.close())

type Faults = {
  readonly kills: number
  readonly restarts: number
  readonly latencyMs: number
  readonly lostShare: number
}

const none: Faults = { kills: 0, restarts: 0, latencyMs: 0, lostShare: 0 }

/** The cluster, and a relay to the server, with one RunnerSet for the repository. */
async function openStage(repository: string, { latencyMs, lostShare }: Faults) {
  const relay = await openRelay({ target: gitea.url, latencyMs, share: lostShare, random: seededRandom(1) })
  const set = { name: 'linux', url: `${relay.url}/acme/${repository}`, max }
  const stage = await openControllerStage(token, [set])
  return {
    ...stage,
    relay,
    close: async () => {
      await stage.close()
      await relay.close()
    },
  }
}

/** Starts a workflow whose jobs write the time of their first step into a file each. */
async function startJobs(level: Level, folder: string): Promise<number> {
  mkdirSync(folder)
  const numbers = [...Array(jobCount).keys()].join()
  const step = `date +%s%3N >> '${folder}/\${{ matrix.n }}'`
  const job = `  one:\n    runs-on: linux\n    strategy: { matrix: { n: [${numbers}] } }\n    steps: [{ run: "${step}" }]\n`
  await gitea.commitWorkflow(level, 'burst.yml', `on: workflow_dispatch\njobs:\n${job}`)
  const begun = Date.now()
  await gitea.dispatch(level, 'burst.yml')
  return begun
}

/** Kills the controller and restarts the server at moments that the ended jobs choose. Resolves when every job has ended. */
async function endure(
  level: Level,
  controller: ControllerProcess,
  again: () => ControllerProcess,
  { kills, restarts }: Faults,
) {
  let leader = controller
  const moments = (count: number) => Array.from({ length: count }, (_, index) => ((index + 1) * jobCount) / (count + 2))
  const due = { kills: moments(kills), restarts: moments(restarts) }
  await until('every job ends', 900_000, async () => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const ended = (await gitea.jobs(level, 'completed')).length
    if (ended >= (due.kills[0] ?? Number.POSITIVE_INFINITY)) {
      due.kills.shift()
      leader.child.kill('SIGKILL')
      leader = again()
    }
    if (ended >= (due.restarts[0] ?? Number.POSITIVE_INFINITY)) {
      const isFirst = due.restarts.shift() !== undefined && due.restarts.length % 2 === 1
      await gitea.server.stop(isFirst ? 'SIGTERM' : 'SIGKILL')
      await gitea.server.start()
    }
    return ended === jobCount
  })
  return leader
}

const kinds: readonly (readonly [string, Faults])[] = isFull
  ? [
      ['alone', none],
      ['with a controller that is killed ten times', { ...none, kills: 10 }],
      ['with a server that restarts twice', { ...none, restarts: 2 }],
      ['with 150 ms of latency', { ...none, latencyMs: 150 }],
      ['with 5 % of the answers lost', { ...none, lostShare: 0.05 }],
    ]
  : [
      ['alone', none],
      ['with all faults at once', { kills: 1, restarts: 1, latencyMs: 150, lostShare: 0.05 }],
    ]

test.each(kinds)('a burst of jobs, %s', { timeout: 1_200_000 }, async (name, faults) => {
  const repository = name.replaceAll(/\W+/g, '-')
  const level = await gitea.createRepository('acme', repository)
  const stage = await openStage(repository, faults)
  const controllers: ControllerProcess[] = []
  const start = () => {
    const controller = stage.start()
    controllers.push(controller)
    return controller
  }
  try {
    const first = start()
    await first.saw('forge-connected')
    const folder = path.join(stage.own, 'jobs')
    const begun = await startJobs(level, folder)
    const leader = await endure(level, first, start, faults)
    const jobs = await gitea.jobs(level)
    expect(jobs.filter(({ conclusion, run_attempt }) => conclusion !== 'success' || run_attempt !== 1)).toEqual([])
    const runs = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8').trim().split('\n'))
    expect([runs.length, runs.filter((times) => times.length !== 1)]).toEqual([jobCount, []])
    await until('nothing is left', 180_000, async () => {
      const runners = listAt(await gitea.admin.must('GET', `${level}/actions/runners`), 'runners').length
      const left = { runners, pods: await stage.count(pods), secrets: (await stage.count(secrets)) - 1 }
      return left.runners + left.pods + left.secrets === 0
    })
    const waits = runs.map(([at]) => Number(at) - begun).sort((a, b) => a - b)
    const at = (share: number) => ((waits[Math.ceil(share * waits.length) - 1] ?? 0) / 1_000).toFixed(1)
    const lost = stage.relay.lost()
    const requests = await requestsOf(leader)
    console.log(
      `${jobCount} jobs, at most ${max} runners, ${name}: queued to first step p50 ${at(0.5)} s, p95 ${at(0.95)} s; ${(requests / jobCount).toFixed(1)} requests a job by the last controller; ${lost} answers lost`,
    )
    expect(faults.lostShare === 0 || lost > 0).toBe(true)
  } finally {
    await stage.close()
  }
})

async function requestsOf(controller: ControllerProcess): Promise<number> {
  const { text } = await controller.get('/metrics')
  return [...text.matchAll(/^dayfly_forge_requests_total\{[^}]*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}
