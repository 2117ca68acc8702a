// Starts the runs of a demo one after the other, and waits until all have ended.
import { aborted } from '@dayfly/kit/signals'
import type { PlayedRun, PlayStage } from './forge.ts'

/** Starts a run every `intervalMs`. Resolves with all results in their order, or rejects with the signal's reason if that comes first. */
export async function playRuns<Run>(
  runs: readonly Run[],
  { clock, intervalMs }: Pick<PlayStage, 'clock' | 'intervalMs'>,
  until: AbortSignal,
  play: (run: Run, index: number) => Promise<PlayedRun>,
): Promise<readonly PlayedRun[]> {
  const halted = aborted(until).then(() => Promise.reject(until.reason))
  // If the runs end or fail first, no code waits for this promise. Without this line its rejection would be unhandled.
  halted.catch(() => {})
  const played: Promise<PlayedRun>[] = []
  for (const [index, run] of runs.entries()) {
    if (index > 0 && intervalMs > 0) await clock.sleep(intervalMs, until)
    played.push(play(run, index))
  }
  return await Promise.race([Promise.all(played), halted])
}
