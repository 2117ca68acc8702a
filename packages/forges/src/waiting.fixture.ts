// The worlds of the forge contract share this: waits on real and virtual time, a connection that a test can cut, and refusals.
import type { Control } from '@dayfly/forge-emulators/gitea/control'
import type { Clock } from '@dayfly/kit/clock'
import { type Transport, TransportError } from '@dayfly/kit/http'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeWorld, RemovalRefusal } from './contract-world.fixture.ts'

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

/** A connection to the forge that a test can cut: the requests in progress break, and all that follow. */
export function cuttable(transport: Transport) {
  let cut = barrier()
  const through: Transport = (request) => Promise.race([cut.down, cut.isDown ? cut.down : transport(request)])
  const reachable: ForgeWorld['reachable'] = (yes) => {
    if (yes) cut = barrier()
    else cut.bringDown()
  }
  return { through, reachable }
}

function barrier() {
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

/** Lets an emulated forge refuse the requests with this method and path, as `ForgeWorld.refuseRemovals` says. */
export function removalRefusals(control: Pick<Control, 'fault' | 'removeFault'>, pathRegex: string) {
  let fault = 0
  return (how: RemovalRefusal): void => {
    control.removeFault(fault)
    const status = { unauthorized: 403, limited: 429, unavailable: 503 }[how]
    const headers: Record<string, string> = how === 'limited' ? { 'retry-after': '60' } : {}
    const match = { method: 'DELETE', pathRegex }
    fault = control.fault({ match, times: 99, action: { kind: 'answer', status, headers, body: {} } })
  }
}
