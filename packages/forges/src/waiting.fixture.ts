// Waits of the forge contract, on real and on virtual time, and a connection that a test can cut.
import type { Clock } from '@dayfly/kit/clock'
import { TransportError } from '@dayfly/kit/http'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeWorld } from './contract-world.fixture.ts'

export function waitAtMost(clock: Clock, ms: number): ForgeWorld['wait'] {
  return (promise) => {
    const late = new AbortController()
    const limit = clock.sleep(ms, late.signal).then(() => Promise.reject(new Error('the test took too long')))
    return Promise.race([promise, limit.catch((error) => Promise.reject(error))]).finally(() => late.abort())
  }
}

/** Advances the clock from timer to timer until the promise settles. */
export function waitVirtually(clock: VirtualClock): ForgeWorld['wait'] {
  return async (promise) => {
    let settled = false
    const settle = () => {
      settled = true
    }
    promise.then(settle, settle)
    for (let turn = 0; turn < 2_000; turn++) {
      await clock.advance(0)
      if (settled) return promise
      await clock.advance((clock.next() ?? Number.NaN) - clock.now())
    }
    throw new Error('the test took too long')
  }
}

/** The connection to the forge. Brought down, it breaks the requests in progress and all that follow. */
export function barrier() {
  let fail: (error: Error) => void = () => {}
  const down = new Promise<never>((_, reject) => {
    fail = reject
  })
  down.catch(() => undefined)
  const state = {
    down,
    isDown: false,
    bringDown: () => {
      state.isDown = true
      fail(new TransportError('lost', 'the connection to the forge is cut'))
    },
  }
  return state
}
