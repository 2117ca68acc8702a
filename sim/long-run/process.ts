// The process of a long run. It shows each lap, the progress between laps, and then the result.
import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { stackOf } from '@dayfly/kit/stack-of'
import { CheckpointError } from '../checkpoint-file.ts'
import { refuse } from '../command-arguments.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { costOf, growthOf, type Lap } from './laps.ts'
import { type Plan, planOf } from './plan.ts'
import { isOver, newRun, type Progress } from './progress.ts'
import { runWorld } from './run-jobs.ts'

const options = { ...strings('seed', 'jobs', 'runners', 'checkpoint'), json: { type: 'boolean' } } as const
const { values } = parseArgs({ args: argv.slice(2), options })
const plan = planOf(Number(values.seed), Number(values.jobs), Number(values.runners))
const uncaught: string[] = []
const note = (error: unknown) => void uncaught.push(stackOf(error))
process.on('uncaughtException', note).on('unhandledRejection', note)
const startedAt = performance.now()
const done = await runAll(plan, values.checkpoint)
const exceptions = uncaught.map((sentence) => ({ by: 'exception', sentence }) as const)
const run = { ...done, broken: [...done.broken, ...exceptions] }
stdout.write(values.json ? `${JSON.stringify(resultOf(run))}\n` : textOf(run))
for (const { by, sentence } of run.broken) stderr.write(`${by}: ${sentence}\n`)
exit(run.broken.length === 0 && run.results.finished >= plan.jobs ? 0 : 1)

function strings<Name extends string>(...names: readonly Name[]): Record<Name, { readonly type: 'string' }> {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }])) as Record<Name, { type: 'string' }>
}

/** Without a checkpoint there is one world for all jobs. With one, each lap has a world, and the file is written at its end. */
async function runAll(plan: Plan, checkpoint: string | undefined): Promise<Progress> {
  let run = checkpoint === undefined ? newRun(plan) : startFrom(checkpoint, plan)
  const onLap = (lap: Lap) => void stderr.write(`${lineOf(lap)}\n`)
  const onSecond = showProgress(plan, run.results.finished)
  while (!isOver(run)) {
    const until = checkpoint === undefined ? plan.jobs : Math.min(plan.jobs, run.results.queued + plan.lap)
    run = await runWorld(run, until, { onLap, onSecond })
    if (checkpoint !== undefined) writeCheckpoint(checkpoint, run)
  }
  return run
}

function startFrom(path: string, plan: Plan): Progress {
  try {
    const run = readCheckpoint(path, plan)
    // It shows that the file can be written, before hours of work depend on it.
    if (run.laps.length === 0) writeCheckpoint(path, run)
    for (const lap of run.laps) stderr.write(`${lineOf(lap)} (from the checkpoint)\n`)
    return run
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error
    return refuse(error.message)
  }
}

/** Returns what shows the rate and the time left, every ten seconds. */
function showProgress({ jobs }: Plan, before: number): (finished: number) => void {
  let shownAt = startedAt
  return (finished) => {
    const now = performance.now()
    if (now < shownAt + 10_000 || finished === before) return
    shownAt = now
    const rate = (finished - before) / ((now - startedAt) / 1_000)
    const left = Math.ceil((jobs - finished) / rate / 60)
    stderr.write(`${finished} of ${jobs} jobs, ${rate.toFixed(0)} a second, ${left} min left\n`)
  }
}

function resultOf({ plan, laps, broken, results, used, runnersMax, peakRssMb }: Progress) {
  const cpuSeconds = used.cpuMicroseconds / 1e6
  return {
    jobs: results.finished,
    succeeded: results.succeeded,
    seed: plan.seed,
    runnersMax,
    broken,
    laps,
    cpuSeconds,
    virtualMs: used.virtualMs,
    requests: used.requests,
    peakRssMb,
    jobsPerCpuSecond: Math.round(results.finished / cpuSeconds),
    growth: growthOf(laps) ?? null,
  }
}

function lineOf(lap: Lap): string {
  const { jobs, microseconds, requests, virtualMs, rssMb } = lap
  const cost = `${Math.round(microseconds)} µs of CPU and ${requests.toFixed(1)} requests a job, ${Math.round(costOf(lap))} µs a request`
  return `${jobs} jobs: ${cost}, ${(virtualMs / 60_000).toFixed(0)} simulated minutes, ${rssMb} MB`
}

function textOf(run: Progress): string {
  const { jobs, succeeded, virtualMs, cpuSeconds, jobsPerCpuSecond, growth, peakRssMb } = resultOf(run)
  const hours = (virtualMs / 3_600_000).toFixed(1)
  return [
    `${jobs} jobs in ${hours} simulated hours, ${succeeded} of them succeeded, at most ${run.runnersMax} runners at once`,
    `${cpuSeconds.toFixed(0)} s of CPU, ${jobsPerCpuSecond} jobs a second of CPU, peak RSS ${peakRssMb} MB`,
    `a request of the last lap cost ${growth?.toFixed(2) ?? '?'} times as much as one of the second; ${run.broken.length} promises broken`,
    '',
  ].join('\n')
}
