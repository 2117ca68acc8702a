// An HTTP relay before a server that adds latency and loses answers: the server has done what was asked, and nobody hears of it.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '@dayfly/kit/random'

export interface Relay {
  readonly url: string
  /** The method and path of each request so far. */
  readonly requests: readonly string[]
  /** How many answers were lost so far. */
  lost(): number
  close(): Promise<void>
}

export type RelayOptions = {
  readonly target: string
  readonly latencyMs: number
  /** The share of lost answers, from 0 to 1. */
  readonly share: number
  readonly random: Random
}

/** Gitea gives a task once: if that answer is lost, the job fails after its timeout (docs/reference/gitea.md#s4-5). */
const neverLost = /\/FetchTask$/

export async function openRelay({ target, latencyMs, share, random }: RelayOptions): Promise<Relay> {
  let lost = 0
  const requests: string[] = []
  const relay = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url = '/', headers } = incoming
    requests.push(`${method} ${url}`)
    const loses = random() < share && !neverLost.test(url)
    const sent = request(`${target}${url}`, { method, headers }, (answer) => {
      if (loses) {
        lost++
        answer.resume().on('end', () => outgoing.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    setTimeout(() => incoming.pipe(sent), latencyMs)
  }
  const server = createServer(relay)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    lost: () => lost,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
