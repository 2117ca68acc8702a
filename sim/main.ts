// `npm run sim`: runs seeds in several processes, and shows how to replay one that broke a promise. Or it runs many jobs.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { bundleOf, importBundle } from './bundle.ts'
import type { Broken } from './checkers/checker.ts'
import { countIn, readArguments } from './command-arguments.ts'
import { longRunFlags, memoryFlags } from './memory-flags.ts'
import type { SeedResult } from './run-seed.ts'

const help = `Runs Dayfly on virtual time, with faults and disasters (docs/simulation.md).

  npm run sim -- [--seeds N] [--start S] [--twice] [--workers N] [--json]
  npm run sim -- --trace SEED
  npm run sim -- --jobs N [--runners N] [--seed S] [--checkpoint FILE] [--json]

Examples:
  npm run sim -- --seeds 1000                           seeds 1 to 1000, on every processor
  npm run sim -- --trace 22                             one seed, with every event and request in order
  npm run sim -- --jobs 1000000                         many jobs in one world, with up to 10,000 runners
  npm run sim -- --jobs 1000000 --checkpoint jobs.bin   the same in laps: repeat the command to go on after a cut

--checkpoint gives each lap a world that begins with what the one before has left, and writes the file at its end.
`

const { values } = readArguments('sim', {
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seeds: { type: 'string', default: '200' },
    start: { type: 'string', default: '1' },
    twice: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
    trace: { type: 'string' },
    jobs: { type: 'string' },
    runners: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    checkpoint: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

/** A worker's report about one seed. */
export type Report = Omit<SeedResult, 'lines'> & { readonly isRepeatable: boolean }

type Total = { seeds: number; jobs: number; virtualMs: number; readonly failed: Report[] }

if (values.help) process.stdout.write(help)
else if (values.jobs !== undefined) process.exitCode = await runLong()
else if (values.trace !== undefined) process.exitCode = await trace(countOf('trace'))
else process.exitCode = await runAll(countOf('seeds'), countOf('start'))

function countOf(name: 'seeds' | 'start' | 'workers' | 'trace' | 'jobs' | 'runners' | 'seed'): number {
  return countIn(name, values[name])
}

/** Runs many jobs in one world, in a process of its own: the memory of this one is no part of the result. */
async function runLong(): Promise<number> {
  const bundle = await bundleOf('long-run/process')
  const counts = (['seed', 'jobs', 'runners'] as const).flatMap((name) => [`--${name}`, String(countOf(name))])
  const checkpoint = values.checkpoint === undefined ? [] : ['--checkpoint', values.checkpoint]
  const child = fork(fileURLToPath(bundle.url), [...counts, ...checkpoint, ...(values.json ? ['--json'] : [])], {
    execArgv: ['--enable-source-maps', ...longRunFlags],
  })
  const [code] = await once(child, 'exit')
  await bundle.remove()
  return Number(code ?? 1)
}

async function trace(seed: number): Promise<number> {
  const { runSeed } = await importBundle('run-seed')
  const { lines, broken, digest } = await runSeed(seed, { keepsLines: true })
  process.stdout.write(`${lines.join('\n')}\n`)
  process.stdout.write(`seed ${seed}: digest ${digest}, ${broken.length} promises broken\n`)
  return broken.length === 0 ? 0 : 1
}

async function runAll(count: number, first: number): Promise<number> {
  const startedAt = performance.now()
  const total: Total = { seeds: 0, jobs: 0, virtualMs: 0, failed: [] }
  const bundle = await bundleOf('worker')
  let next = first
  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(fileURLToPath(bundle.url), values.twice ? ['--twice'] : [], {
        execArgv: ['--enable-source-maps', ...memoryFlags],
      })
      const send = () => (next < first + count ? void child.send(next++) : void child.disconnect())
      child.on('message', (report: Report) => {
        take(total, report, count)
        send()
      })
      child
        .on('error', reject)
        .on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
      send()
    })
  await Promise.all(Array.from({ length: countOf('workers') }, worker)).finally(bundle.remove)
  const seconds = (performance.now() - startedAt) / 1_000
  const { failed, ...sums } = total
  const line = `${sums.seeds} seeds, ${sums.jobs} jobs, ${(sums.virtualMs / 3_600_000).toFixed(1)} simulated hours, ${failed.length} failed, ${seconds.toFixed(0)} s`
  process.stdout.write(values.json ? `${JSON.stringify({ ...sums, failed, seconds })}\n` : `${line}\n`)
  return failed.length === 0 ? 0 : 1
}

function take(total: Total, report: Report, count: number): void {
  const { seed, broken, jobs, virtualMs, isRepeatable } = report
  total.seeds++
  total.jobs += jobs
  total.virtualMs += virtualMs
  const problems = [...broken.map(shown), ...(isRepeatable ? [] : ['its second run differs from the first one'])]
  if (problems.length > 0) {
    total.failed.push(report)
    process.stderr.write(`seed ${seed}: ${problems.join('; ')}\n  replay: npm run sim -- --trace ${seed}\n`)
  }
  if (total.seeds % 100 === 0) process.stderr.write(`${total.seeds} of ${count} seeds\n`)
}

function shown({ by, sentence }: Broken): string {
  return `${by}: ${sentence}`
}
