// The reports of a task on a virtual clock: their interval, their order, and what happens while the server does not answer.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPendingRows } from './pending-rows.ts'
import { createReporter, type Delivery } from './reporter.ts'
import type { Method, RpcAnswer } from './rpc.ts'

type Call = { readonly method: Method; readonly message: Readonly<Record<string, unknown>>; readonly at: number }

/** Starts a reporter of a task with two steps. `answer` may replace the server's answer. */
function open(answer: (call: Call) => RpcAnswer | undefined = () => undefined) {
  const clock = virtualClock()
  const began = clock.now()
  const calls: Call[] = []
  const over: string[] = []
  let rows = 0
  const rpc = async (method: Method, message: object): Promise<RpcAnswer> => {
    const call = { method, message: { ...message }, at: clock.now() - began }
    calls.push(call)
    const other = answer(call)
    if (other) return other
    const { index, rows: batch } = call.message as { index?: string; rows?: unknown[] }
    if (batch) rows = Number(index) + batch.length
    return { is: 'answered', value: batch ? { ackIndex: String(rows) } : { state: { id: '1' } } }
  }
  const task = { id: '1', stepCount: 2, setUp: ['set up'] }
  const onOver = (why: string) => void over.push(why)
  const reporter = createReporter(task, { clock, random: seededRandom(1), rpc, onOver })
  const advance = (ms: number) => clock.advance(ms)
  const times = (method: Method) => calls.filter((call) => call.method === method).map(({ at }) => at)
  const event = (status: 'started' | 'finished') => {
    const end = status === 'finished' ? { conclusion: 'success' as const } : {}
    reporter.addEvent({ id: 'x', name: 'x', status, at: clock.now(), ...end })
  }
  return { reporter, calls, over, advance, times, event }
}

const broken: RpcAnswer = { is: 'failed', why: 'the database is locked' }
const end = { conclusion: 'success', outputs: {} } as const

test('a silent task is reported every 5 s, lines within a second, and a step at once', async () => {
  const { reporter, times, advance, event } = open()
  await advance(10_000)
  expect(times('UpdateTask')).toEqual([0, 5_000, 10_000])
  reporter.addLines(['one'])
  await advance(600)
  reporter.addLines(['two'])
  await advance(600)
  expect(times('UpdateLog')).toEqual([0, 11_000])
  event('started')
  await advance(1)
  expect(times('UpdateTask').at(-1)).toBe(11_200)
})

test('the result follows the whole log, and the steps that never ran get one, too', async () => {
  const { reporter, calls, advance, event } = open()
  event('started')
  event('finished')
  reporter.addLines(['last'])
  const done = reporter.end({ conclusion: 'failure', outputs: { a: '1' } })
  await advance(10)
  expect(await done).toBe('delivered')
  expect(calls.map(({ method, message }) => `${method} ${message['noMore'] ?? ''}`)).toEqual([
    'UpdateLog false',
    'UpdateLog true',
    'UpdateTask ',
    'UpdateTask ',
  ])
  expect(calls.at(-1)?.message).toMatchObject({
    state: { result: 'RESULT_FAILURE', steps: [{ result: 'RESULT_SUCCESS' }, { result: 'RESULT_CANCELLED' }] },
    outputs: { a: '1' },
  })
  await advance(60_000)
  expect(calls).toHaveLength(4)
})

test('a server that is down for minutes gets everything when it is back', async () => {
  let isDown = true
  const { reporter, calls, advance } = open(() => (isDown ? broken : undefined))
  reporter.addLines(['one'])
  await advance(300_000)
  isDown = false
  const done = reporter.end(end)
  await advance(6_000)
  expect(await done).toBe('delivered')
  expect(calls.at(-2)?.message).toMatchObject({
    index: '0',
    rows: [{ content: 'set up' }, { content: 'one' }],
    noMore: true,
  })
})

test('a server that refuses the log still learns every few seconds that the task goes on', async () => {
  const { times, advance } = open(({ method }) => (method === 'UpdateLog' ? broken : undefined))
  await advance(60_000)
  const gaps = times('UpdateTask').map((at, index, all) => at - (all[index - 1] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(5_000)
})

test('the reporter gives up a result after ten minutes', async () => {
  const { reporter, advance } = open(() => broken)
  let delivery: Delivery | undefined
  void reporter.end(end).then((found) => {
    delivery = found
  })
  await advance(599_000)
  expect(delivery).toBeUndefined()
  await advance(10_000)
  expect(delivery).toBe('undelivered')
})

test.each<[string, RpcAnswer]>([
  ['refuses the runner', { is: 'unregistered', why: 'unregistered runner' }],
  ['answers with a result', { is: 'answered', value: { state: { id: '1', result: 'RESULT_FAILURE' } } }],
])('the task is over when the server %s, and no call follows', async (_, answer) => {
  const { reporter, calls, over, advance, event } = open(({ method }) => (method === 'UpdateTask' ? answer : undefined))
  await advance(10)
  expect(over).toHaveLength(1)
  event('started')
  reporter.addLines(['late'])
  await advance(60_000)
  expect(await reporter.end(end)).toBe('over')
  expect(calls).toHaveLength(2)
})

describe('the rows of a log', () => {
  test('arrive once and in order, however the answers are lost', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3_000), fc.boolean()), { maxLength: 20 }), (rounds) => {
        const pending = createPendingRows()
        const kept: string[] = []
        let made = 0
        const send = (isLost: boolean) => {
          const { index, rows } = pending.batch()
          kept.push(...rows.slice(Math.max(0, kept.length - Number(index))).map(({ content }) => content))
          if (!isLost) pending.acknowledge(kept.length)
        }
        for (const [count, isLost] of rounds) {
          pending.add(
            Array.from({ length: count }, () => String(made++)),
            0,
          )
          send(isLost)
        }
        while (pending.batch().rows.length > 0) send(false)
        expect(kept).toEqual(Array.from({ length: made }, (_, index) => String(index)))
        expect([pending.total, pending.chars]).toEqual([made, 0])
      }),
      { numRuns: 50 },
    )
  })

  test('are sent in batches of bounded size', () => {
    const pending = createPendingRows()
    pending.add(
      Array.from({ length: 40 }, () => 'x'.repeat(64 * 1024)),
      0,
    )
    expect([pending.batch().rows.length, pending.batch().isLast]).toEqual([16, false])
    pending.acknowledge(40)
    pending.add(
      Array.from({ length: 1_001 }, () => ''),
      0,
    )
    expect(pending.batch()).toMatchObject({ index: '40', isLast: false })
    expect(pending.batch().rows).toHaveLength(1_000)
  })
})
