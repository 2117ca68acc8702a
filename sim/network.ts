// The network between one process and a server, in this process: latency, and the faults of the weather.
import { type Answer, type Body, jsonAnswer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import { pick } from './streams.ts'
import type { Weather } from './weather.ts'

export type Network = {
  readonly clock: VirtualClock
  readonly random: Random
  /** Returns the weather of this moment. */
  readonly weather: () => Weather
  /** Returns whether the process can reach the server. */
  readonly isOpen: () => boolean
  /** Called when the process makes a request, also if it never arrives. */
  readonly onTried?: (request: Request) => void
  /** Called when the server is about to get a request, and with its answer. */
  readonly onSent?: (request: Request) => void
  readonly onAnswer?: (request: Request, answer: Answer) => void
}

const silentMs = 90_000
const refusals = [
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [422, 'Invalid'],
] as const

export function through(network: Network, server: Transport): Transport {
  const lists = new Map<string, Answer>()
  return async (request) => {
    const { clock, random } = network
    const weather = network.weather()
    const happens = (chance: number) => chance > 0 && random() < chance
    const [least, most] = weather.latencyMs
    const wait = (ms: number) => clock.sleep(ms, request.signal)
    const check = () => {
      if (!network.isOpen()) throw new TransportError('lost', `${request.method} ${request.path}: the network is cut`)
    }
    check()
    network.onTried?.(request)
    if (happens(weather.refusedConnection)) {
      await wait(randomInteger(random, 0, 1_000))
      throw new TransportError('connect', 'the connection was refused')
    }
    await wait(randomInteger(random, least >> 1, most >> 1))
    check()
    const refused = refusalOf(request, weather, random)
    if (refused) {
      await wait(least)
      return refused
    }
    const isSilent = happens(weather.silence)
    if (isSilent && random() < 0.5) return await silent(clock, request)
    network.onSent?.(request)
    let answer = await server(request)
    if (request.expect === 'whole' && happens(weather.duplicate) && !createsScaleSet(request))
      answer = await server(request)
    network.onAnswer?.(request, answer)
    if (isSilent) return await silent(clock, request)
    if (happens(weather.lostAnswer)) throw new TransportError('lost', 'the connection was reset')
    await wait(
      happens(weather.slow) ? randomInteger(random, 5_000, 30_000) : randomInteger(random, least >> 1, most >> 1),
    )
    check()
    if (isForgeList(request, answer)) {
      const list = `${request.path}?${request.search}`
      const before = lists.get(list)
      lists.set(list, answer)
      if (happens(weather.falseList)) answer = before && random() < 0.5 ? before : emptied(answer)
    }
    return { ...answer, body: streamed(network, answer.body, happens(weather.brokenStream)) }
  }
}

/** GitHub refuses a second one of the name, and then nothing shows that the first was ours: Dayfly leaves it to the operator. */
function createsScaleSet({ method, path }: Request): boolean {
  return method === 'POST' && path.endsWith('/runnerscalesets')
}

async function silent({ sleep }: VirtualClock, { signal, method, path }: Request): Promise<never> {
  await sleep(silentMs, signal)
  throw new TransportError('timeout', `${method} ${path}: no answer within ${silentMs / 1_000} s`)
}

function refusalOf({ method, expect }: Request, weather: Weather, random: Random): Answer | undefined {
  const { overload, refusal, expiredWatch } = weather
  if (overload > 0 && random() < overload) {
    const status = pick([429, 429, 500, 503, 504], random)
    const headers: Record<string, string> =
      status === 429 && random() < 0.5 ? { 'retry-after': String(randomInteger(random, 1, 90)) } : {}
    return { ...statusAnswer(status, 'Overloaded'), headers }
  }
  if (expect === 'events' && expiredWatch > 0 && random() < expiredWatch) return statusAnswer(410, 'Expired')
  if (method === 'GET' || refusal === 0 || random() >= refusal) return undefined
  const [status, reason] = pick(refusals, random)
  return statusAnswer(status, reason)
}

/** The body is read by clients of Kubernetes and of the forges: each of them looks at its own members. */
function statusAnswer(code: number, reason: string): Answer {
  const message = `a fault of the simulation: ${reason}`
  return jsonAnswer(code, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    code,
    message,
    typeName: reason,
  })
}

/** Whether the answer lists the registrations of a forge, or the waiting jobs of Gitea. Its list of running jobs, which proves that a runner is idle, is never false. */
function isForgeList({ method, path, search = '' }: Request, { body }: Answer): boolean {
  const isList =
    /\/(agents|runners)$/.test(path) || (path.endsWith('/actions/jobs') && search.includes('status=queued'))
  return method === 'GET' && body.kind === 'json' && isList
}

/** The same list without any entry, in the words of each forge. */
function emptied(answer: Answer): Answer {
  const value = { count: 0, value: [], values: [], size: 0, runners: [], jobs: [], total_count: 0 }
  return { ...answer, body: { kind: 'json', value } }
}

/** A stream of a process that is cut off, or of a network that breaks, ends with an error. */
function streamed({ clock, random, isOpen }: Network, body: Body, breaks: boolean): Body {
  if (body.kind !== 'events') return body
  const until = breaks ? clock.now() + randomInteger(random, 0, 60_000) : Number.POSITIVE_INFINITY
  const items = (async function* () {
    for await (const item of body.items) {
      if (!isOpen() || clock.now() >= until) throw new TransportError('lost', 'the stream was reset')
      yield item
    }
  })()
  return { kind: 'events', items }
}
