import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { withDeadline } from './deadline.ts'
import { aborted } from './signals.ts'
import { virtualClock } from './virtual-clock.ts'

const late = () => new Error('too late')

async function untilAborted(signal: AbortSignal): Promise<never> {
  await aborted(signal)
  throw signal.reason
}

it('aborts the work at the deadline with its own reason', async () => {
  const clock = virtualClock()
  const ended = expect(withDeadline({ clock, ms: 50, late }, untilAborted)).rejects.toThrow('too late')
  await clock.advance(50)
  await ended
})

it('aborts the work with its caller, also if that was aborted before', async () => {
  const clock = virtualClock()
  const caller = new AbortController()
  const work = () => withDeadline({ clock, ms: 50, until: caller.signal, late }, untilAborted)
  const first = work()
  caller.abort(new Error('no caller'))
  await expect(first).rejects.toThrow('no caller')
  await expect(work()).rejects.toThrow('no caller')
})

it('leaves no timer and no listener behind', async () => {
  const clock = virtualClock()
  const { signal } = new AbortController()
  expect(await withDeadline({ clock, ms: 50, until: signal, late }, async () => 7)).toBe(7)
  expect([clock.next(), getEventListeners(signal, 'abort')]).toEqual([undefined, []])
})
