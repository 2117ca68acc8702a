// The file from which a long run goes on in another process.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type { Plan } from './plan.ts'
import { newRun, type Progress } from './run-jobs.ts'

const format = 'dayfly-sim-checkpoint 1'

/** The file is not a checkpoint, or one of another run. */
export class CheckpointError extends Error {}

/** Replaces the file in one step: a process that ends in the middle leaves the checkpoint before it. */
export function writeCheckpoint(path: string, run: Progress): void {
  writeFileSync(`${path}.new`, serialize({ format, run }))
  renameSync(`${path}.new`, path)
}

/** Returns the run at its last checkpoint, or its beginning if there is no file. Throws a `CheckpointError`. */
export function readCheckpoint(path: string, plan: Plan): Progress {
  if (!existsSync(path)) return newRun(plan)
  const run = contentOf(path)
  if (run === undefined) throw new CheckpointError(`${path} is not a checkpoint of this version. Name another file.`)
  if (!isDeepStrictEqual(run.plan, plan)) {
    const { seed, jobs, runners } = run.plan
    const other = `--jobs ${jobs} --runners ${runners} --seed ${seed}`
    throw new CheckpointError(`${path} is the checkpoint of a run with ${other}. Name another file, or these numbers.`)
  }
  return run
}

function contentOf(path: string): Progress | undefined {
  try {
    const content: { readonly format?: unknown; readonly run: Progress } = deserialize(readFileSync(path))
    return content.format === format ? content.run : undefined
  } catch {
    return undefined
  }
}
