// Reads a container's log. It needs the permission to get `pods/log`, so it is separate from the client's verbs.
import { type Body, noBody, TransportError } from '@dayfly/kit/http'
import { objectPath } from './path.ts'
import { errorOfAnswer, errorOfTransport } from './refusal.ts'
import { type Connection, createSend, standardHeaders } from './send.ts'
import type { ObjectName, Resource } from './types.ts'

type LogOptions = {
  readonly container: string
  /** The number of last lines to read. */
  readonly lines: number
  readonly signal?: AbortSignal | undefined
}

/** Reads logs. Rejects with a KubernetesError or with the signal's reason. */
export interface PodLogs {
  /** Resolves with at most 16 KiB. Empty also if the container has not started. */
  tail(pod: ObjectName, options: LogOptions): Promise<string>
  /** Yields the lines of a container until it ends. A longer line is cut at 16 KiB. */
  follow(pod: ObjectName, options: FollowOptions): AsyncGenerator<string>
}

type FollowOptions = {
  readonly container: string
  /** Begins so many lines before the end. Undefined: at the start. */
  readonly lines?: number
  readonly signal: AbortSignal
}

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
/** The server counts its byte limit from the first of the requested lines, so the request asks for more than the result keeps. */
const bytesAsked = 256 * 1024
const charactersKept = 16 * 1024

export function createPodLogs(connection: Connection): PodLogs {
  const send = createSend(connection)
  return {
    tail: async (pod, { container, lines, signal }) => {
      const query = { container, tailLines: String(lines), limitBytes: String(bytesAsked) }
      const { body } = await send({ method: 'GET', path: objectPath(pods, pod, 'log'), query, signal })
      return (await textOf(body)).slice(-charactersKept)
    },
    follow: (pod, options) => followLog(connection, pod, options),
  }
}

/** Joins the body. A transport without sockets passes on the server's own chunks. */
async function textOf(body: Body): Promise<string> {
  if (body.kind === 'text') return body.text
  if (body.kind !== 'bytes') return ''
  const pieces: Buffer[] = []
  for await (const piece of body.chunks) pieces.push(Buffer.from(piece as string))
  return Buffer.concat(pieces).toString()
}

async function* linesOf(body: Body): AsyncGenerator<string> {
  if (body.kind === 'text') yield* body.text.split('\n')
  if (body.kind !== 'bytes') return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of body.chunks) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    const lines = `${rest}${text}`.split('\n')
    rest = (lines.pop() ?? '').slice(0, charactersKept)
    yield* lines
  }
  if (rest !== '') yield rest
}

/** The stream ends with the container, so it has no limit of time or silence. */
async function* followLog(
  { transport, clock, userAgent }: Connection,
  pod: ObjectName,
  { container, lines, signal }: FollowOptions,
): AsyncGenerator<string> {
  const query = { container, follow: 'true', ...(lines === undefined ? {} : { tailLines: String(lines) }) }
  const path = objectPath(pods, pod, 'log')
  const headers = standardHeaders(userAgent)
  signal.throwIfAborted()
  try {
    const answer = await transport({ method: 'GET', path, query, headers, body: noBody, expect: 'bytes', signal })
    if (answer.status >= 400) throw errorOfAnswer(answer, false, clock.now())
    yield* linesOf(answer.body)
  } catch (error) {
    throw error instanceof TransportError ? errorOfTransport(error, false) : error
  }
}
