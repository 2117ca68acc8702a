// The process of a run of lives: its arguments are lives, runners, sets and seed. It shows each lap, and then the result.
import { argv, stderr, stdout } from 'node:process'
import { CheckpointError } from '../checkpoint-file.ts'
import { refuse } from '../command-arguments.ts'
import type { CostRow } from './costs.ts'
import { growthOf, type Lap } from './laps.ts'
import { type Shares, startProfile } from './profile.ts'
import { type LivesRun, runLives } from './run-lives.ts'

const [lives = 1, runners = 1, sets = 1, seed = 1] = argv.slice(2).map(Number)
const fileAt = argv.indexOf('--checkpoint') + 1
const checkpoint = fileAt > 0 ? argv[fileAt] : undefined
const onLap = (lap: Lap) => void stderr.write(`${lineOf(lap)}\n`)
const startedAt = performance.now()
const endProfile = argv.includes('--profile') ? await startProfile(import.meta.url) : undefined
const run = carryOut()
const shares = await endProfile?.()
const seconds = Math.round((performance.now() - startedAt) / 1_000)
const growth = growthOf(run.laps, 'nanoseconds') ?? null
const heapGrowth = growthOf(run.laps, 'heapMb') ?? null
const figures = { ...run, growth, heapGrowth, seconds, ...(shares ? { shares } : {}) }
stdout.write(argv.includes('--json') ? `${JSON.stringify(figures)}\n` : textOf(run, shares))
for (const { by, sentence } of run.broken) stderr.write(`${by}: ${sentence}\n`)
process.exitCode = run.broken.length === 0 ? 0 : 1

/** A checkpoint that cannot be used is the user's error. */
function carryOut(): LivesRun {
  try {
    return runLives({ seed, lives, runners, sets }, { onLap, ...(checkpoint === undefined ? {} : { checkpoint }) })
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error
    return refuse(error.message)
  }
}

function lineOf({ lives: done, nanoseconds, heapMb, rssMb, virtualMs }: Lap): string {
  const minutes = (virtualMs / 60_000).toFixed(0)
  return `${done} lives: ${nanoseconds} ns of CPU a life, ${minutes} simulated minutes, ${heapMb} MB alive, ${rssMb} MB in all`
}

function textOf(result: LivesRun, parts: Shares | undefined): string {
  const { aliveMean, aliveMax, virtualMs, journaled, peakRssMb, laps, broken } = result
  return [
    `${result.lives} lives in ${(virtualMs / 3_600_000).toFixed(1)} simulated hours, ${aliveMean} at once on average and ${aliveMax} at most`,
    `${laps.at(-1)?.nanoseconds ?? '?'} ns of CPU a life in the last tenth, ${journaled.toFixed(1)} journal events a life, peak RSS ${peakRssMb} MB`,
    `the last tenth cost ${growthOf(laps, 'nanoseconds')?.toFixed(2) ?? '?'} times as much as the second; ${broken.length} promises broken`,
    ...(parts ? [`CPU: ${parts.map(({ part, share }) => `${part} ${Math.round(share * 100)} %`).join(', ')}`] : []),
    '',
    'input                  calls a life   ns a call   ns a life',
    ...result.costs.map((row) => costLine(row, result.lives)),
    '',
  ].join('\n')
}

function costLine({ kind, calls, nanoseconds }: CostRow, count: number): string {
  const aLife = calls / count
  return [
    kind.padEnd(20),
    aLife.toFixed(4).padStart(15),
    String(nanoseconds).padStart(12),
    (aLife * nanoseconds).toFixed(0).padStart(12),
  ].join('')
}
