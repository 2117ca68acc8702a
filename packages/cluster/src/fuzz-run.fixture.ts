// Runs the fuzz of the API server: many hostile requests to one cluster after the other, and what went wrong.
import { type Random, seededRandom } from '@dayfly/kit/random'
import { stackOf } from '@dayfly/kit/stack-of'
import { hugeRequest } from './fuzz-huge.fixture.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-requests.fixture.ts'
import { brokenObjects, fuzzWorld, type Outcome } from './fuzz-world.fixture.ts'

export type FuzzResult = {
  readonly problems: readonly string[]
  readonly statuses: ReadonlyMap<number, number>
  /** The processor time of each request, in milliseconds. */
  readonly cpuMs: readonly number[]
  readonly slowest: { readonly cpuMs: number; readonly request: string }
}

type Running = { problems: string[]; statuses: Map<number, number>; cpuMs: number[]; slowest: FuzzResult['slowest'] }

/** The requests to one cluster. */
export const perWorld = 1_000
/** The share of huge requests. */
const hugeShare = 0.01

/** Kubernetes answers with these itself. */
const knownFailures = [
  /Too large resource version/,
  /resourceVersion should not be set on objects to be created/,
  /failed to create typed patch object/,
  /etcdserver: request is too large/,
  /request did not complete within requested timeout/,
]

export function problemOf({ status, text }: Outcome): string | undefined {
  if (status >= 500 && !knownFailures.some((known) => known.test(text))) return `answered ${status}: ${text}`
  if (status >= 400 && text.startsWith('{') && !text.includes(`"code":${status}`)) return `has another code: ${text}`
  return undefined
}

/** @param progress is called after each cluster with the number of requests so far. */
export async function runFuzz(
  order: { readonly requests: number; readonly seed: number },
  progress: (done: number) => void = () => {},
): Promise<FuzzResult> {
  const running: Running = { problems: [], statuses: new Map(), cpuMs: [], slowest: { cpuMs: 0, request: '' } }
  for (let done = 0; done < order.requests; done += perWorld) {
    await fuzzSeed(order.seed + done / perWorld, Math.min(perWorld, order.requests - done), running)
    progress(running.cpuMs.length)
  }
  return running
}

async function fuzzSeed(seed: number, count: number, running: Running): Promise<void> {
  const random = seededRandom(seed)
  const world = await fuzzWorld(seed)
  for (let index = 0; index < count; index++) {
    if (index % 50 === 49) await world.refill()
    await one(world, { random, place: `seed ${seed}, request ${index}`, moves: index % 10 === 0 }, running)
  }
  await world.clock.advance(60_000)
  running.problems.push(...brokenObjects(world.cluster).map((problem) => `seed ${seed}: ${problem}`))
  await world.cluster.stop()
}

type Turn = { readonly random: Random; readonly place: string; readonly moves: boolean }

async function one(
  { clock, ask, send }: Awaited<ReturnType<typeof fuzzWorld>>,
  { random, place, moves }: Turn,
  running: Running,
): Promise<void> {
  const request = random() < hugeShare ? hugeRequest(random) : fuzzRequest(random)
  const report = (problem: string) => running.problems.push(`${place} ${problem}\n${shown(request)}`)
  try {
    const outcome = await ask(request)
    const { status, cpuMs } = outcome
    running.statuses.set(status, (running.statuses.get(status) ?? 0) + 1)
    running.cpuMs.push(cpuMs)
    if (cpuMs > running.slowest.cpuMs) running.slowest = { cpuMs, request: `${place}: ${shown(request)}` }
    const problem = problemOf(outcome)
    if (problem !== undefined) report(problem.slice(0, 2_000))
    if (moves) await clock.advance(Math.floor(random() * 400))
  } catch (error) {
    report(stackOf(error))
  }
  const clean = await send('GET', '/api/v1/namespaces/default')
  if (clean.status !== 200) report(`left a server that answers ${clean.status}: ${clean.text}`)
}

function shown({ bytes, query, ...rest }: FuzzRequest): string {
  const asked = JSON.stringify({ ...rest, query }).slice(0, 600)
  return `${asked}\n${bytes.length} bytes: ${bytes.subarray(0, 600).toString()}`
}
