// Kills `dayfly cluster --data-dir` at random moments under load, and checks that every job ran once, with its exit code and log.
//   npm run bench:cluster-kills -- --kills 100 --seed 1
import { parseArgs } from 'node:util'
import { seededRandom } from '@dayfly/kit/random'
import { createWorld } from '../test/cli.ts'
import { killJobs } from '../test/killed-jobs.ts'

const { kills, seed } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
}).values

const started = performance.now()
const world = createWorld()
try {
  const progress = (kill: number, jobs: number) => {
    if (kill % 10 === 0) process.stderr.write(`${kill} kills, ${jobs} jobs\n`)
  }
  const report = await killJobs(world, Number(kills), seededRandom(Number(seed)), progress)
  const seconds = Math.round((performance.now() - started) / 1000)
  process.stdout.write(`${JSON.stringify({ ...report, seconds }, undefined, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
} finally {
  world.end()
}
