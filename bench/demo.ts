// Compares the demo, from queued jobs to their ends, with a plain loop that only starts the same runner programs.
//   npm run bench:demo -- --json
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { homeKeeper } from '@dayfly/cluster/command/home'
import type { Control } from '@dayfly/forge-emulators/github/control'
import type { JobEvent } from '@dayfly/forge-emulators/github/emulation'
import type { RunnerJob } from '@dayfly/forge-emulators/job'
import { limit } from '@dayfly/kit/queue'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import type { Link } from '@dayfly/runner-set/forge/forge'
import { type GitHubDemo, openGitHub } from 'dayfly/command/demo/github/forge'
import { percentiles } from 'dayfly/command/demo/report'
import { openStage } from 'dayfly/command/demo/stage'

type Shape = { readonly jobs: number; readonly width: number; readonly intervalMs: number }
/** `wallMs`: the time from the first queued job to the last ended job. `firstStepMs`: the time from the queue to the first step. */
type Measured = {
  readonly wallMs: number
  readonly firstStepMs: { readonly p50: number; readonly p95: number; readonly max: number }
}

const clock = systemClock()
const random = systemRandom()
const runner = path.resolve('packages/dayfly/dist/runner.js')
const environment = { PATH: process.env['PATH'] ?? '' }
const userAgent = 'dayfly-bench/0'

const shapes: Readonly<Record<string, Shape>> = {
  spaced: { jobs: 10, width: 10, intervalMs: 1_000 },
  together: { jobs: 10, width: 10, intervalMs: 0 },
  wide: { jobs: 200, width: 20, intervalMs: 0 },
}

const results: Record<string, { dayfly: Measured; loop: Measured; ratio: number }> = {}
for (const [name, shape] of Object.entries(shapes)) {
  const loop = await measureLoop(shape)
  const dayfly = await measureDayfly(shape)
  const [own, plain] =
    shape.intervalMs > 0 ? [dayfly.firstStepMs.p50, loop.firstStepMs.p50] : [dayfly.wallMs, loop.wallMs]
  results[name] = { dayfly, loop, ratio: Math.round((own / plain) * 100) / 100 }
  process.stderr.write(`${name}: ${JSON.stringify(results[name])}\n`)
}
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(results)}\n`)

async function measureDayfly(shape: Shape): Promise<Measured> {
  const keeper = homeKeeper(clock)
  const options = { home: keeper.home, clock, random, max: shape.width, runner, environment, userAgent }
  const stage = await openStage({ ...options, openForge: openGitHub, onEntry: () => {} })
  try {
    const { control, label } = stage.forge
    await listened(control)
    return await measure(control, shape, (index) => queue(control, label, index))
  } finally {
    await stage.retire(15_000)
    await stage.stop()
    await keeper.remove()
  }
}

/** Measures a loop that starts the programs, at most `width` at once. It registers the runners before the measurement. */
async function measureLoop(shape: Shape): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-bench-'))
  const forge = await openGitHub({ clock, random, userAgent, onAnomaly: () => {} })
  const until = new AbortController()
  try {
    const link = await openLink(forge, shape, until.signal)
    await listened(forge.control)
    const credentials = await Promise.all(
      Array.from({ length: shape.jobs }, (_, index) => register(link, `loop-${index}`)),
    )
    const wide = limit(shape.width)
    return await measure(forge.control, shape, (index) => {
      queue(forge.control, 'loop', index)
      void wide(() => spawnRunner(folder, credentials[index] ?? ''))
    })
  } finally {
    until.abort()
    await forge.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(control: Control, shape: Shape, start: (index: number) => void): Promise<Measured> {
  const firstStepMs: number[] = []
  let ended = 0
  const done = new Promise<void>((resolve, reject) => {
    control.onJob((jobEvent: JobEvent) => {
      if (jobEvent.kind === 'first-step') firstStepMs.push(jobEvent.at - jobEvent.times.queuedAt)
      if (jobEvent.kind !== 'finished') return
      if (jobEvent.result !== 'succeeded') reject(new Error(`${jobEvent.name} ended as ${jobEvent.result}`))
      if (++ended === shape.jobs) resolve()
    })
  })
  const started = clock.now()
  for (let index = 0; index < shape.jobs; index++) {
    if (index > 0 && shape.intervalMs > 0) await clock.sleep(shape.intervalMs)
    start(index)
  }
  await done
  const wallMs = clock.now() - started
  const found = percentiles(firstStepMs)
  if (!found) throw new Error('no job reached its first step')
  return { wallMs, firstStepMs: found }
}

function queue(control: Control, label: string, index: number): void {
  control.queueJobs([{ labels: [label], name: `job ${index}`, message: message(index) }])
}

/** Returns a job with one trivial step, so that the benchmark measures only the work around it. */
function message(index: number): Omit<RunnerJob, 'jobId' | 'runId'> {
  const step = { id: 'a', name: 'say', if: 'success()', env: {}, continueOnError: false, timeoutMinutes: undefined }
  return {
    key: 'job',
    name: `job ${index}`,
    contexts: { github: {} },
    env: [],
    defaults: { shell: undefined, workingDirectory: undefined },
    timeoutMinutes: 5,
    outputs: {},
    steps: [{ ...step, kind: 'run', run: 'echo done', shell: undefined, workingDirectory: undefined }],
    repository: undefined,
  }
}

async function openLink(forge: GitHubDemo, shape: Shape, until: AbortSignal): Promise<Link> {
  const source = {
    kind: 'github',
    url: forge.url,
    credentialsSecret: '',
    runnerGroup: undefined,
    labels: ['loop'],
    proxy: undefined,
    ca: undefined,
  } as const
  const account = forge.forgeFor(source, { credential: { github_token: forge.token } })
  const link = await account.open(
    { name: 'loop', runnerPrefix: 'loop-', labels: ['loop'], group: undefined, max: shape.jobs },
    undefined,
    until,
  )
  void (async () => {
    for await (const batch of link.events()) batch.ack()
  })()
  return link
}

async function register(link: Link, name: string): Promise<string> {
  for (;;) {
    const outcome = await link.register(name)
    if (outcome.is === 'registered') return outcome.credential.reveal()['credential'] ?? ''
    await clock.sleep(Math.max(10, outcome.until - clock.now()))
  }
}

/** Waits until a listener polls, because a job that is queued earlier would wait for it. */
async function listened(control: Control): Promise<void> {
  while (!control.requests().some(({ path, method }) => method === 'GET' && path.includes('/message')))
    await clock.sleep(10)
}

function spawnRunner(folder: string, credential: string): Promise<void> {
  const cwd = mkdtempSync(path.join(folder, 'runner-'))
  const env = { ...environment, HOME: cwd, TMPDIR: cwd, ACTIONS_RUNNER_INPUT_JITCONFIG: credential }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner], { cwd, env, stdio: 'ignore' })
    child.on('error', reject)
    child.on('exit', () => resolve())
  })
}
