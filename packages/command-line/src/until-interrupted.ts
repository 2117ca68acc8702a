// Runs work that ends only with Ctrl-C or another termination signal.
import { Interrupted, listenForInterruption } from './interruption.ts'

/** Resolves with the work's result, or with the exit code of the signal. A second signal ends the program at once. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  try {
    return await work(interruption.signal)
  } catch (error) {
    const { reason } = interruption.signal
    if (interruption.signal.aborted && reason instanceof Interrupted) return reason.exitCode
    throw error
  } finally {
    interruption.release()
  }
}
