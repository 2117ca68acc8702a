// Compares strategies for Bitbucket's runners over a working day and a day of a weekend, in virtual time.
//   npx tsx bench/bitbucket-strategies.ts [--min N] [--max N] [--no-runner fail|queue] [--seed N] [--only TEXT] [--json]
// Dayfly is the production controller against the emulated Bitbucket. The official autoscaler is its rules against the same emulator.
import { parseArgs } from 'node:util'
import { seededRandom } from '@dayfly/kit/random'
import { runDayfly } from './bitbucket/dayfly.ts'
import type { Result } from './bitbucket/measure.ts'
import { type Case, runOfficial, thresholds } from './bitbucket/official.ts'
import { workload } from './bitbucket/workload.ts'

const { values } = parseArgs({
  options: {
    min: { type: 'string', default: '2' },
    max: { type: 'string', default: '20' },
    'no-runner': { type: 'string', default: 'fail' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const noRunner = values['no-runner'] === 'queue' ? 'queue' : 'fail'
const shape: Case = { min: Number(values.min), max: Number(values.max), noRunner }
const steps = workload(seededRandom(Number(values.seed)))

const cases: readonly (readonly [name: string, run: () => Promise<Omit<Result, 'name'>>])[] = [
  [`Dayfly, idle spares, min ${shape.min}`, () => runDayfly(shape, steps)],
  [`Dayfly, idle spares, min ${3 * shape.min}`, () => runDayfly({ ...shape, min: 3 * shape.min }, steps)],
  ['Dayfly, percentageRunnersIdle corrected', () => runDayfly(shape, steps, { mode: 'corrected', ...thresholds })],
  ['Dayfly, percentageRunnersIdle strict', () => runDayfly(shape, steps, { mode: 'strict', ...thresholds })],
  ['official autoscaler, every 600 s', () => runOfficial(shape, steps, 600_000)],
  ['official autoscaler, every 60 s', () => runOfficial(shape, steps, 60_000)],
]

const columns = ['strategy', 'failed', 'killed', 'reused', 'wait p50', 'p95', 'max', 'calls/h max', 'runner-hours']
if (!values.json) process.stdout.write(`${steps.length} steps\n| ${columns.join(' | ')} |\n|---|${'---:|'.repeat(8)}\n`)
for (const [name, run] of cases) {
  if (!name.includes(values.only)) continue
  const result: Result = { name, ...(await run()) }
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${row(result)}\n`)
}

function row({ name, failed, killed, reused, waits, callsPerHourMax, runnerHours }: Result): string {
  const seconds = [waits.p50, waits.p95, waits.max].map((wait) => `${wait} s`)
  return `| ${[name, failed, killed, reused, ...seconds, callsPerHourMax, runnerHours].join(' | ')} |`
}
