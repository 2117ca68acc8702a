// Stores a long run between two laps.
import { isDeepStrictEqual } from 'node:util'
import { CheckpointError, storeCheckpoint, storedCheckpoint } from '../checkpoint-file.ts'
import type { Plan } from './plan.ts'
import { newRun, type Progress } from './progress.ts'

const format = 'dayfly-sim-checkpoint 1'

export function writeCheckpoint(path: string, run: Progress): void {
  storeCheckpoint(path, { format, run })
}

/** Returns the run at its last checkpoint, or its beginning if there is no file. Throws a `CheckpointError`. */
export function readCheckpoint(path: string, plan: Plan): Progress {
  const stored = storedCheckpoint(path)
  if (stored.is === 'absent') return newRun(plan)
  const run = stored.is === 'stored' ? runIn(stored.content) : undefined
  if (run === undefined) throw new CheckpointError(`${path} is not a checkpoint of this version. Name another file.`)
  if (!isDeepStrictEqual(run.plan, plan)) {
    const { seed, jobs, runners } = run.plan
    const other = `--jobs ${jobs} --runners ${runners} --seed ${seed}`
    throw new CheckpointError(`${path} is the checkpoint of a run with ${other}. Name another file, or these numbers.`)
  }
  return run
}

function runIn(content: unknown): Progress | undefined {
  const { format: own, run } = Object(content) as { readonly format?: unknown; readonly run: Progress }
  return own === format ? run : undefined
}
