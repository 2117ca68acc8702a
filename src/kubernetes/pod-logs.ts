// The end of a container's log. Needs a right of its own, to get `pods/log`, so it is no verb of the client.
import type { Body } from '../lib/http.ts'
import { objectPath } from './path.ts'
import { type Connection, createSend } from './send.ts'
import type { ObjectName, Resource } from './types.ts'

export type LogOptions = {
  readonly container: string
  /** The last lines. */
  readonly lines: number
  readonly signal?: AbortSignal | undefined
}

/** Rejects with a KubernetesError, or with the signal's reason. */
export interface PodLogs {
  /** At most 16 KiB. Empty also where the container has not started. */
  tail(pod: ObjectName, options: LogOptions): Promise<string>
}

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
/** The server counts its limit from the first of the last lines, so it is asked for more than is kept. */
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

/** A transport without a codec hands over the server's own pieces. */
async function textOf(body: Body): Promise<string> {
  if (body.kind === 'text') return body.text
  if (body.kind !== 'bytes') return ''
  const pieces: Buffer[] = []
  for await (const piece of body.chunks) pieces.push(Buffer.from(piece as string))
  return Buffer.concat(pieces).toString()
}
