// Reads the end of a container's log. It needs the permission to get `pods/log`, so it is separate from the client's verbs.
import type { Body } from '../lib/http.ts'
import { objectPath } from './path.ts'
import { type Connection, createSend } from './send.ts'
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
