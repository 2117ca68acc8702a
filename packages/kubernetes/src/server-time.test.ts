import { jsonAnswer, noBody, type Request } from '@dayfly/kit/http'
import { stopwatchOf, virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it } from 'vitest'
import { followServerTime } from './server-time.ts'

const getRequest: Request = { method: 'GET', path: '/version', query: {}, headers: {}, body: noBody, expect: 'whole' }

/** A process whose machine shows `aheadMs` more than the API server, which answers after `takesMs`. */
function world({
  aheadMs = 0,
  takesMs = 100,
  stated = (at: number) => new Date(at).toUTCString() as string | undefined,
}) {
  const server = virtualClock()
  const machine = { aheadMs }
  const own = { ...server, now: () => server.now() + machine.aheadMs }
  const time = followServerTime(own, stopwatchOf(server))
  const transport = time.observing(async () => {
    await server.sleep(takesMs / 2)
    const date = stated(server.now())
    await server.sleep(takesMs / 2)
    return jsonAnswer(200, {}, date === undefined ? {} : { date })
  })
  const ask = async () => {
    const answer = transport(getRequest)
    await server.advance(takesMs)
    await answer
  }
  return { server, machine, time, transport, ask, errorMs: () => time.clock.now() - server.now() }
}

const minute = 60_000

describe('the time of the API server', () => {
  it.each([10 * minute, -10 * minute, 7_000, -7_000])(
    'is known within a second from the first answer, if the machine is %d ms ahead',
    async (aheadMs) => {
      const { ask, errorMs } = world({ aheadMs })
      expect(errorMs()).toBe(aheadMs)
      await ask()
      expect(Math.abs(errorMs())).toBeLessThanOrEqual(1_100)
    },
  )

  it('is that of the machine while they differ by seconds at most, so that it never steps back and forth', async () => {
    for (const aheadMs of [0, 4_900, -4_900]) {
      const { server, ask, errorMs } = world({ aheadMs, takesMs: 300 })
      for (let turn = 0; turn < 50; turn++) {
        await ask()
        await server.advance(77)
        expect(errorMs()).toBe(aheadMs)
      }
    }
  })

  it('goes on steadily if someone sets the clock of the machine', async () => {
    const { machine, ask, errorMs } = world({})
    await ask()
    machine.aheadMs = 30 * minute
    expect(errorMs()).toBe(0)
    machine.aheadMs = -30 * minute
    await ask()
    expect(errorMs()).toBe(0)
  })

  it('is that of the machine if no answer states a time that can be read', async () => {
    for (const date of [undefined, '', 'tomorrow', '2026']) {
      const { ask, errorMs } = world({ aheadMs: minute, stated: () => date })
      await ask()
      expect(errorMs()).toBe(minute)
    }
  })

  it('is not mistaken for the time at which a slow answer arrives', async () => {
    const { ask, errorMs } = world({ takesMs: 4 * minute })
    await ask()
    expect(errorMs()).toBe(0)
  })

  it('is corrected once by two answers to requests that were sent before the first answer', async () => {
    const { server, transport, errorMs } = world({ aheadMs: 10 * minute })
    const both = [transport(getRequest), transport(getRequest)]
    await server.advance(100)
    await Promise.all(both)
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1_100)
  })
})
