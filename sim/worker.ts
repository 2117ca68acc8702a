// A process that runs the seeds that its parent sends, one at a time.
import { runSeed } from './run-seed.ts'

const twice = process.argv.includes('--twice')

process.on('message', async (seed: number) => {
  const { lines: _lines, ...first } = await runSeed(seed)
  const isRepeatable = !twice || (await runSeed(seed)).digest === first.digest
  process.send?.({ ...first, isRepeatable })
})
