// The process of a long run: its arguments are seed, jobs and runners. It shows each lap, and then the result.
import { argv, exit, stderr, stdout } from 'node:process'
import { stackOf } from '@dayfly/kit/stack-of'
import type { Lap } from './laps.ts'
import { planOf } from './plan.ts'
import { type LongRun, runJobs } from './run-jobs.ts'

const [seed = 1, jobs = 1, runners = 1] = argv.slice(2).map(Number)
const startedAt = performance.now()
const uncaught: string[] = []
const note = (error: unknown) => void uncaught.push(stackOf(error))
process.on('uncaughtException', note).on('unhandledRejection', note)
const run = await runJobs(planOf(seed, jobs, runners), (lap) => stderr.write(`${lineOf(lap)}\n`))
const broken = [...run.broken, ...uncaught.map((sentence) => ({ by: 'exception', sentence }) as const)]
const seconds = (performance.now() - startedAt) / 1_000
stdout.write(
  argv.includes('--json') ? `${JSON.stringify({ ...run, broken, seconds, ...figuresOf(run) })}\n` : textOf(run),
)
for (const { by, sentence } of broken) stderr.write(`${by}: ${sentence}\n`)
exit(broken.length === 0 && run.jobs >= jobs ? 0 : 1)

/** Growth compares the last lap with the second one: in the first, the code warms up. */
function figuresOf({ laps, jobs: done, cpuSeconds }: LongRun) {
  const [second, last] = [laps[1]?.microseconds, laps.at(-1)?.microseconds]
  return {
    jobsPerCpuSecond: Math.round(done / cpuSeconds),
    growth: second === undefined || last === undefined ? null : last / second,
  }
}

function lineOf({ jobs: done, microseconds, requests, virtualMs, rssMb }: Lap): string {
  const cost = `${Math.round(microseconds)} µs of CPU and ${requests.toFixed(1)} requests a job`
  return `${done} jobs: ${cost}, ${(virtualMs / 60_000).toFixed(0)} simulated minutes, ${rssMb} MB`
}

function textOf(run: LongRun): string {
  const { jobsPerCpuSecond, growth } = figuresOf(run)
  const hours = (run.virtualMs / 3_600_000).toFixed(1)
  return [
    `${run.jobs} jobs in ${hours} simulated hours, ${run.succeeded} of them succeeded, at most ${run.runnersMax} runners at once`,
    `${run.cpuSeconds.toFixed(0)} s of CPU, ${jobsPerCpuSecond} jobs a second of CPU, peak RSS ${run.peakRssMb} MB`,
    `the last lap cost ${growth?.toFixed(2) ?? '?'} times as much as the second; ${broken.length} promises broken`,
    '',
  ].join('\n')
}
