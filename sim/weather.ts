// The faults between a process and a server. Each seed turns some of them on, so that rare pairs of faults meet.
import { type Random, randomInteger } from '@dayfly/kit/random'

/** The chance of each fault for one request, between 0 and 1. */
export type Weather = {
  /** The latency of a request and its answer together, in milliseconds. */
  readonly latencyMs: readonly [least: number, most: number]
  /** The request is never sent. */
  readonly refusedConnection: number
  /** The server carries the request out, and its answer is lost. */
  readonly lostAnswer: number
  /** The server answers 429, 500, 503 or 504, and does nothing. */
  readonly overload: number
  /** The server answers 403, 404, 409 or 422, and does nothing. Only writes. */
  readonly refusal: number
  /** The answer takes 5 to 30 s. */
  readonly slow: number
  /** No answer comes within 90 s. The server may have carried the request out. */
  readonly silence: number
  /** A proxy sends the request twice. */
  readonly duplicate: number
  /** A stream is reset after up to 60 s. */
  readonly brokenStream: number
  /** A watch begins with 410 Expired. */
  readonly expiredWatch: number
  /** A list is empty, or as old as the last one. Only the forge. */
  readonly falseList: number
}

const fine: Omit<Weather, 'latencyMs'> = {
  refusedConnection: 0,
  lostAnswer: 0,
  overload: 0,
  refusal: 0,
  slow: 0,
  silence: 0,
  duplicate: 0,
  brokenStream: 0,
  expiredWatch: 0,
  falseList: 0,
}

export type FaultName = keyof typeof fine

const faultNames = Object.keys(fine) as readonly FaultName[]

/** Turns about a third of the faults on. */
export function weatherOf(random: Random): Weather {
  const most = randomInteger(random, 20, 300)
  const on = faultNames.filter(() => random() < 0.35)
  const rates = Object.fromEntries(on.map((name) => [name, rateOf(name, random)]))
  return { latencyMs: [randomInteger(random, 2, 20), most], ...fine, ...rates }
}

/** Faults that take long are rarer: a process that only waits shows nothing. */
function rateOf(name: FaultName, random: Random): number {
  const most = { silence: 0.02, slow: 0.05, brokenStream: 0.5, expiredWatch: 0.5, falseList: 0.3 } as const
  return random() * (name in most ? most[name as keyof typeof most] : 0.12)
}

export function fairWeather(random: Random): Weather {
  return { latencyMs: [2, randomInteger(random, 10, 100)], ...fine }
}
