import { type Answer, noBody, type Request, TransportError, textAnswer } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createPodLogs } from './pod-logs.ts'

function world(answer: Answer) {
  const requests: Request[] = []
  const transport = async (request: Request): Promise<Answer> => {
    requests.push(request)
    return answer
  }
  return { requests, logs: createPodLogs({ transport, clock: virtualClock(), random: seededRandom(1) }) }
}

const at = { namespace: 'ci', name: 'runner-a' }

test('the end of a log is requested in lines and limited in bytes', async () => {
  const { requests, logs } = world(
    textAnswer(200, `${'x'.repeat(100_000)}\nthe end\n`, { 'content-type': 'text/plain' }),
  )
  const text = await logs.tail(at, { container: 'runner', lines: 50 })
  expect([text.length, text.endsWith('x\nthe end\n')]).toEqual([16 * 1024, true])
  expect(requests).toMatchObject([
    {
      method: 'GET',
      path: '/api/v1/namespaces/ci/pods/runner-a/log',
      query: { container: 'runner', tailLines: '50', limitBytes: '262144' },
    },
  ])
})

test('a container without output has an empty log, and a refusal is an error', async () => {
  expect(await world({ status: 204, headers: {}, body: noBody }).logs.tail(at, { container: 'runner', lines: 1 })).toBe(
    '',
  )
  const { logs } = world(textAnswer(403, 'no'))
  await expect(logs.tail(at, { container: 'runner', lines: 1 })).rejects.toMatchObject({ kind: 'forbidden' })
})

test('a followed log yields whole lines, also when a chunk ends within one', async () => {
  const chunks = (async function* () {
    yield 'one\ntw'
    yield Buffer.from('o\nlast')
  })()
  const { requests, logs } = world({ status: 200, headers: {}, body: { kind: 'bytes', chunks } })
  const { signal } = new AbortController()
  const lines: string[] = []
  for await (const line of logs.follow(at, { container: 'runner', signal })) lines.push(line)
  expect(lines).toEqual(['one', 'two', 'last'])
  expect(requests).toMatchObject([{ query: { container: 'runner', follow: 'true' } }])
})

test('a followed log that is refused or reset is a typed error', async () => {
  const follow = async (answer: Answer) => {
    const { signal } = new AbortController()
    for await (const _ of world(answer).logs.follow(at, { container: 'runner', signal }));
  }
  await expect(follow(textAnswer(403, 'no'))).rejects.toMatchObject({ kind: 'forbidden' })
  const reset = (async function* () {
    yield 'one\n'
    throw new TransportError('lost', 'reset')
  })()
  const answer: Answer = { status: 200, headers: {}, body: { kind: 'bytes', chunks: reset } }
  await expect(follow(answer)).rejects.toMatchObject({ kind: 'unavailable' })
})
