// Bearer tokens that change at run time. A file is read again each minute, and a plugin runs again before its credential expires.
// Both also happen when the server refuses the current token.
import { readFile } from 'node:fs/promises'
import type { Clock } from '@dayfly/kit/clock'
import { type Transport, TransportError } from '@dayfly/kit/http'
import type { Kubeconfig } from './kubeconfig.ts'

export interface TokenSource {
  /** Resolves with the token to send, if there is one. `refused` is a token that the server has just refused with 401. */
  current(refused?: string): Promise<string | undefined>
}

const readAgainMs = 60_000

/** A credential is renewed this long before it expires, because a request takes time and clocks differ. */
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
        // The file may be missing while it is replaced. Then the token of a minute ago is better than none.
        if (!known) throw new TransportError('connect', `the token file ${token.path} cannot be read`, error)
      }
      return known.token
    },
  }
}

/** Creates the source for a plugin. Concurrent requests share one run of the plugin. */
function fromPlugin({ first, renew }: Extract<Kubeconfig['token'], { kind: 'plugin' }>, clock: Clock): TokenSource {
  let known = first
  let asking: Promise<void> | undefined
  const ask = async () => {
    const answer = await renew()
    if ('failed' in answer) {
      throw new TransportError('connect', `the credential plugin returned no new token: ${answer.failed}`, undefined)
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

/** Sends each request with the source's token. After a 401 it sends the request once more if the source has a new token. */
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
