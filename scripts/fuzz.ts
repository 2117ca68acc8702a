// `npm run fuzz`: sends hostile requests to the embedded API server and fails on any break.
//   npm run fuzz -- [--requests N] [--seed S]
import { parseArgs } from 'node:util'
import { perWorld, runFuzz } from '@dayfly/cluster/fuzz-run.fixture'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
})

const [requests, seed] = [wholeNumber('requests'), wholeNumber('seed')]
const started = performance.now()
const progress = (done: number) => process.stderr.write(`${done} of ${requests} requests, ${seconds()} s\n`)
const { problems, statuses, cpuMs, slowest } = await runFuzz({ requests, seed }, progress)

/** The most processor time of one request, in milliseconds. */
const cpuMsMost = 1_000
const isSlow = slowest.cpuMs > cpuMsMost
const sorted = Float64Array.from(cpuMs).sort()
const quantile = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`)
process.stdout.write(`${sorted.length} requests from seed ${seed} in ${seconds()} s\n`)
process.stdout.write(`status codes: ${counts.join(', ')}\n`)
process.stdout.write(`processor time: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, p99.9 ${quantile(0.999)} ms\n`)
process.stdout.write(`slowest: ${slowest.cpuMs.toFixed(0)} ms, ${slowest.request}\n`)
process.stdout.write(`${problems.length} breaks${isSlow ? `, and a request of more than ${cpuMsMost} ms` : ''}\n`)
for (const problem of problems.slice(0, 20)) process.stderr.write(`\n${problem}\n`)
if (problems.length > 0) {
  process.stderr.write(`\nReplay: npm run fuzz -- --requests ${perWorld} --seed SEED\n`)
}
process.exitCode = problems.length === 0 && !isSlow ? 0 : 1

function wholeNumber(name: 'requests' | 'seed'): number {
  const count = Number(values[name])
  if (Number.isInteger(count) && count > 0) return count
  process.stderr.write(`--${name} must be a whole number from 1 on, and not "${values[name]}"\n`)
  process.exit(2)
}

function seconds(): string {
  return ((performance.now() - started) / 1_000).toFixed(0)
}
