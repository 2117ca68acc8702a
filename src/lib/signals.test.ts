import { expect, it } from 'vitest'
import { linkSignals } from './signals.ts'

it('takes any number of listeners without a warning of Node', async () => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => warnings.push(name)
  process.on('warning', listen)
  const { signal } = linkSignals(new AbortController().signal)
  for (let count = 0; count < 20; count++) signal.addEventListener('abort', () => count)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

it('follows its parents until it is disposed', () => {
  const parent = new AbortController()
  const [followed, disposed] = [linkSignals(undefined, parent.signal), linkSignals(parent.signal)]
  disposed.dispose()
  parent.abort('over')
  expect([followed.signal.aborted, followed.signal.reason, disposed.signal.aborted]).toEqual([true, 'over', false])
})
