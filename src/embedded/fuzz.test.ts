// Hostile requests against a whole cluster. It must answer them, go on, and keep only whole objects.
// DAYFLY_FUZZ_REQUESTS and DAYFLY_FUZZ_SEED choose how many requests and which.
import { expect, test } from 'vitest'
import { seededRandom } from '../lib/random.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-requests.fixture.ts'
import { brokenObjects, fuzzWorld, type Outcome } from './fuzz-world.fixture.ts'

const requests = Number(process.env['DAYFLY_FUZZ_REQUESTS'] ?? 3_000)
const firstSeed = Number(process.env['DAYFLY_FUZZ_SEED'] ?? 1)
const perWorld = 1_000
const cpuMsMost = 1_000

/** Kubernetes answers with these itself. */
const knownFailures = [
  /Too large resource version/,
  /resourceVersion should not be set on objects to be created/,
  /failed to create typed patch object/,
]

function problemOf({ status, text, cpuMs }: Outcome): string | undefined {
  if (cpuMs > cpuMsMost) return `took ${Math.round(cpuMs)} ms of processor time`
  if (status >= 500 && !knownFailures.some((known) => known.test(text))) return `answered ${status}: ${text}`
  if (status >= 400 && text.startsWith('{') && !text.includes(`"code":${status}`)) return `has another code: ${text}`
  return undefined
}

/** Sends the requests of one seed to a fresh cluster. Returns what went wrong. */
async function fuzzSeed(seed: number, statuses: Map<number, number>): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const { cluster, clock, ask, send, refill } = await fuzzWorld(seed)
  const problems: string[] = []
  const report = (index: number, request: FuzzRequest, problem: string) => {
    const { bytes, ...rest } = request
    problems.push(
      `seed ${seed}, request ${index} ${problem}\n${JSON.stringify(rest)}\n${bytes.toString().slice(0, 900)}`,
    )
  }
  for (let index = 0; index < perWorld; index++) {
    if (index % 50 === 49) await refill()
    const request = fuzzRequest(random)
    try {
      const outcome = await ask(request)
      statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
      const problem = problemOf(outcome)
      if (problem !== undefined) report(index, request, problem)
      if (index % 10 === 0) await clock.advance(Math.floor(random() * 400))
    } catch (error) {
      report(index, request, error instanceof Error ? String(error.stack) : String(error))
    }
    const clean = await send('GET', '/api/v1/namespaces/default')
    if (clean.status !== 200) report(index, request, `left a server that answers ${clean.status}: ${clean.text}`)
  }
  await clock.advance(60_000)
  problems.push(...brokenObjects(cluster).map((problem) => `seed ${seed}: ${problem}`))
  await cluster.stop()
  return problems
}

test(`no request of ${requests} crashes the cluster, stops it, or leaves a broken object`, async () => {
  const statuses = new Map<number, number>()
  for (let seed = firstSeed; seed < firstSeed + requests / perWorld; seed++) {
    expect((await fuzzSeed(seed, statuses)).slice(0, 8).join('\n\n')).toBe('')
  }
  // A fuzz whose requests are all refused at the door proves little.
  const share = (status: number) => (statuses.get(status) ?? 0) / requests
  const counts = [...statuses].sort(([one], [other]) => one - other)
  process.stdout.write(`${requests} requests: ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}\n`)
  expect(share(200) + share(201)).toBeGreaterThan(0.15)
  expect(share(422)).toBeGreaterThan(0.05)
}, 3_600_000)
