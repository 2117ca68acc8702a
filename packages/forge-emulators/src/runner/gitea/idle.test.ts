// The idle runner on a virtual clock: how often it asks, and when it gives up.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStopper } from '../stopper.ts'
import { liveOnce } from './one-task.ts'
import type { Method, RpcAnswer } from './rpc.ts'

const none: RpcAnswer = { is: 'answered', value: { tasksVersion: '7' } }
const failed: RpcAnswer = { is: 'failed', why: 'connect ECONNREFUSED' }
const lost: RpcAnswer = { is: 'lost', why: 'socket hang up' }
const unregistered: RpcAnswer = { is: 'unregistered', why: 'unregistered runner' }

/** Runs a runner until it ends or the time is over. `answer` gets the number of calls before. */
async function idle(answer: (method: Method, before: number) => RpcAnswer, limitMs: number) {
  const clock = virtualClock()
  const began = clock.now()
  const stopper = createStopper()
  const asked: number[] = []
  let [code, output]: [number | undefined, string] = [undefined, '']
  const rpc = async (method: Method) => {
    asked.push(clock.now() - began)
    return answer(method, asked.length - 1)
  }
  const print = (text: string) => {
    output += text
    return undefined
  }
  const credential = { name: 'r-1', uuid: 'u', token: 't', address: 'http://127.0.0.1/', labels: ['linux'] }
  const host = { clock, random: seededRandom(1), stopper, inherited: {}, directory: '/', print }
  const life = liveOnce({ credential, rpc }, host).then((ended) => {
    code = ended
  })
  await clock.advance(limitMs)
  const found = { code, output, asked }
  stopper.stop('shutdown')
  await clock.advance(0)
  await life
  return found
}

test('an idle runner asks every 2 to 5 s, at different intervals', async () => {
  const { code, asked } = await idle(() => none, 600_000)
  const gaps = asked.slice(2).map((at, index) => at - (asked[index + 1] ?? 0))
  expect([code, Math.min(...gaps) >= 2_000, Math.max(...gaps) <= 5_000]).toEqual([undefined, true, true])
  expect(new Set(gaps).size).toBeGreaterThan(50)
})

test.each<[string, (before: number) => RpcAnswer]>([
  ['never was there', () => failed],
  ['is gone after its first answer', (before) => (before === 0 ? none : failed)],
  ['takes the calls and does not answer', (before) => (before === 0 ? none : lost)],
])('a runner whose server %s ends with 1 after ten minutes', async (_, answer) => {
  const { code, asked } = await idle((_method, before) => answer(before), 700_000)
  expect([code, (asked.at(-1) ?? 0) >= 600_000]).toEqual([1, true])
})

test.each<[string, readonly RpcAnswer[], number, boolean]>([
  ['after an answer with a possible task was lost', [none, lost, none, unregistered], 1, true],
  ['after the server was unreachable', [none, failed, none, unregistered], 0, false],
])('a runner that is refused %s says what that means', async (_, answers, code, hadTask) => {
  const found = await idle((_method, before) => answers[before] ?? unregistered, 60_000)
  expect([found.code, found.asked.length, found.output.includes('A task in it has failed.')]).toEqual([
    code,
    4,
    hadTask,
  ])
})

test('a task that is not valid ends the runner with 1', async () => {
  const found = await idle(() => ({ is: 'answered', value: { task: { id: 7 } } }), 60_000)
  expect([found.code, found.asked.length]).toEqual([1, 2])
})
