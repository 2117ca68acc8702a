// Bearer tokens that change while we run: a file is read again each minute, a plugin asked again before its credential ends, and both whenever the server refuses what we have.
import { readFile } from 'node:fs/promises'
import type { Clock } from '../lib/clock.ts'
import { type Transport, TransportError } from '../lib/http.ts'
import type { Kubeconfig } from './kubeconfig.ts'

export interface TokenSource {
  /** The token to send, or undefined for none. `refused`: this one was answered with 401; another is worth a second try. */
  current(refused?: string): Promise<string | undefined>
}

const readAgainMs = 60_000

/** So long before its end a credential is not used any more: the request takes time, and clocks differ. */
const marginMs = 60_000

export function tokenSource(token: Kubeconfig['token'], clock: Clock): TokenSource {
  if (token.kind === 'file') return fromFile(token, clock)
  if (token.kind === 'plugin') return fromPlugin(token, clock)
  return { current: async () => (token.kind === 'fixed' ? token.token : undefined) }
}

function fromFile(token: Extract<Kubeconfig['token'], { kind: 'file' }>, clock: Clock): TokenSource {
  let known: { readonly token: string; readonly at: number } | undefined
  return {
    current: async (refused) => {
      if (known && refused !== known.token && clock.now() - known.at < readAgainMs) return known.token
      try {
        known = { token: (await readFile(token.path, 'utf8')).trim(), at: clock.now() }
      } catch (error) {
        // A token that was good a minute ago is better than none while the file is being replaced.
        if (!known) throw new TransportError('connect', `the token file ${token.path} cannot be read`, error)
      }
      return known.token
    },
  }
}

/** Requests that wait at the same time ask once. */
function fromPlugin({ first, renew }: Extract<Kubeconfig['token'], { kind: 'plugin' }>, clock: Clock): TokenSource {
  let known = first
  let asking: Promise<void> | undefined
  const ask = async () => {
    const answer = await renew()
    if ('failed' in answer) {
      throw new TransportError('connect', `the credential plugin gave no new token: ${answer.failed}`, undefined)
    }
    known = answer
  }
  return {
    current: async (refused) => {
      const ends = known.expiresAt ?? Number.POSITIVE_INFINITY
      if (refused !== known.token && clock.now() < ends - marginMs) return known.token
      asking ??= ask().finally(() => {
        asking = undefined
      })
      await asking
      return known.token
    },
  }
}

/** Sends each request with the source's token; after a 401 once more if the source has a new one by then. */
export function withToken(transport: Transport, source: TokenSource): Transport {
  return async (request) => {
    const token = await source.current()
    if (token === undefined) return transport(request)
    const send = (bearer: string) =>
      transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } })
    const answer = await send(token)
    if (answer.status !== 401) return answer
    const renewed = await source.current(token)
    return renewed === undefined || renewed === token ? answer : send(renewed)
  }
}
