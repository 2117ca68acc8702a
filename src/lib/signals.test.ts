import { getMaxListeners } from 'node:events'
import { expect, it } from 'vitest'
import { linkSignals } from './signals.ts'

it('takes any number of listeners without a warning of Node', () => {
  const parent = new AbortController()
  const link = linkSignals(parent.signal)
  expect([getMaxListeners(parent.signal), getMaxListeners(link.signal)]).toEqual([0, 0])
})

it('follows its parents until it is disposed', () => {
  const parent = new AbortController()
  const [followed, disposed] = [linkSignals(undefined, parent.signal), linkSignals(parent.signal)]
  disposed.dispose()
  parent.abort('over')
  expect([followed.signal.aborted, followed.signal.reason, disposed.signal.aborted]).toEqual([true, 'over', false])
})
