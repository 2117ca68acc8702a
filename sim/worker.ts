// A process that runs the seeds that its parent sends, one at a time.
import { stackOf } from '@dayfly/kit/stack-of'
import { runSeed, type SeedResult } from './run-seed.ts'

const twice = process.argv.includes('--twice')

process.on('message', async (seed: number) => {
  const { lines: _lines, ...first } = await run(seed)
  const isRepeatable = !twice || (await run(seed)).digest === first.digest
  process.send?.({ ...first, isRepeatable })
})

/** An error that nothing catches breaks the seed, and does not end the process. */
async function run(seed: number): Promise<SeedResult> {
  const uncaught: string[] = []
  const note = (error: unknown) => void uncaught.push(stackOf(error))
  process.on('uncaughtException', note).on('unhandledRejection', note)
  const result = await runSeed(seed)
  process.off('uncaughtException', note).off('unhandledRejection', note)
  return {
    ...result,
    broken: [...result.broken, ...uncaught.map((sentence) => ({ by: 'exception', sentence }) as const)],
  }
}
