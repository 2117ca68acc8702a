// The network of one controller process: gates that a test closes, and a record of what went through.
import { jsonAnswer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'

export type Gate = { isOpen: boolean }

/** A closed gate loses requests, and answers to requests that are under way. */
export function gated(
  transport: Transport,
  gate: Gate,
  onAnswer: (request: Request, body: unknown) => void,
): Transport {
  const check = ({ method, path }: Request) => {
    if (!gate.isOpen) throw new TransportError('lost', `${method} ${path}: the network is cut`)
  }
  return async (request) => {
    check(request)
    const answer = await transport(request)
    check(request)
    const { body } = answer
    if (answer.status < 300 && body.kind === 'json') onAnswer(request, body.value)
    if (body.kind !== 'bytes') return answer
    const chunks = (async function* () {
      for await (const chunk of body.chunks) {
        check(request)
        yield chunk
      }
    })()
    return { ...answer, body: { kind: 'bytes', chunks } }
  }
}

/** Each request and its answer take half of the latency. */
export function slowed(transport: Transport, clock: VirtualClock, ms: number): Transport {
  if (ms === 0) return transport
  return async (request) => {
    await clock.sleep(ms / 2, request.signal)
    const answer = await transport(request)
    await clock.sleep(ms / 2, request.signal)
    return answer
  }
}

/** Records when each call of Bitbucket's API was sent. Requests of tokens do not count. */
export function counted(transport: Transport, calls: number[], now: () => number): Transport {
  return (request) => {
    if (!request.path.includes('oauth2')) calls.push(now())
    return transport(request)
  }
}

/** The API server of an installation without the right to read logs, as the chart installs it. */
export function withoutLogs(transport: Transport): Transport {
  return async (request) => {
    if (!request.path.endsWith('/log')) return transport(request)
    return jsonAnswer(403, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 })
  }
}
