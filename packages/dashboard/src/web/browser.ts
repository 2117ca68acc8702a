// The only file of the page that reads the browser's clock, timers, network and storage.
import { type Clock, sleepWith } from '@dayfly/kit/clock'

/** Sends a GET request to an address that is relative to the page. */
export type Ask = (path: string, signal?: AbortSignal) => Promise<Response>

export type TokenStore = { read(): string | null; write(token: string | null): void }

export function browserClock(): Clock {
  const after: Clock['after'] = (ms, run) => {
    const timer = setTimeout(run, ms)
    return { cancel: () => clearTimeout(timer) }
  }
  return { now: () => Date.now(), after, sleep: sleepWith(after) }
}

/** A reverse proxy may serve the page below a prefix, so each address begins at the document's own. */
export function browserAsk(token: TokenStore): Ask {
  return (path, signal) => {
    const read = token.read()
    const headers: Record<string, string> = read === null ? {} : { authorization: `Bearer ${read}` }
    return fetch(new URL(path, document.baseURI), { headers, cache: 'no-store', ...(signal ? { signal } : {}) })
  }
}

/** Keeps the token until the tab is closed. A browser that refuses storage keeps it until the page is loaded again. */
export function sessionToken(): TokenStore {
  const key = 'dayfly-token'
  let kept: string | null = null
  return {
    read() {
      try {
        return sessionStorage.getItem(key) ?? kept
      } catch {
        return kept
      }
    },
    write(token) {
      kept = token
      try {
        if (token === null) sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, token)
      } catch {
        // `kept` has it.
      }
    },
  }
}
