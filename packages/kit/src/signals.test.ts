import { expect, it } from 'vitest'
import { linkSignals } from './signals.ts'

it('takes many listeners without a warning of Node', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const parent = new AbortController()
  const link = linkSignals(parent.signal)
  for (let index = 0; index < 30; index++) {
    parent.signal.addEventListener('abort', () => {})
    link.signal.addEventListener('abort', () => {})
  }
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})

it('follows its parents until it is disposed', () => {
  const parent = new AbortController()
  const [followed, disposed] = [linkSignals(undefined, parent.signal), linkSignals(parent.signal)]
  disposed.dispose()
  parent.abort('over')
  expect([followed.signal.aborted, followed.signal.reason, disposed.signal.aborted]).toEqual([true, 'over', false])
})
