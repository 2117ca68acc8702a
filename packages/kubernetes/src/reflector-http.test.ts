// Tests the reflector over sockets, where connections break in the middle of a line.
import { type Clock, sleepWith } from '@dayfly/kit/clock'
import type { Answer, Body, Request } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { httpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { expect, it } from 'vitest'
import { faultServer } from './fault-server.fixture.ts'
import { runReflector } from './reflector.ts'
import type { Resource } from './types.ts'

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const clock = systemClock()
/** Waits a tenth of the given time. */
const after: Clock['after'] = (ms, run) => clock.after(ms / 10, run)
const hasty: Clock = { now: clock.now, after, sleep: sleepWith(after) }

/** Passes `afterLines` lines and half a line, and then resets the connection. */
function cutWithinLine(body: Body, afterLines: number): Body {
  if (body.kind !== 'events') return body
  const { items } = body
  const chunks = async function* () {
    let left = afterLines
    for await (const item of items) {
      const line = `${JSON.stringify(item)}\n`
      if (left-- === 0) {
        yield line.slice(0, line.length / 2)
        await clock.sleep(20)
        throw new Error('reset')
      }
      yield line
    }
  }
  return { kind: 'bytes', chunks: chunks() }
}

it('keeps the cache correct over connections that are reset within a line, in the list and after it', async () => {
  const server = faultServer(clock)
  for (let index = 0; index < 300; index++) server.put(`pod-${index}`, { text: 'ü'.repeat(300) })
  // The first stream is the list. Its second attempt uses pages, so the other streams are watches.
  const cuts = [150, 3, 0, 1]
  let streams = 0
  const handler = async (request: Request): Promise<Answer> => {
    const answer = await server.handle(request)
    if (request.query['watch'] !== 'true') return answer
    const afterLines = cuts[streams++]
    return afterLines === undefined ? answer : { ...answer, body: cutWithinLine(answer.body, afterLines) }
  }
  const listening = await httpServer(handler)
  const client = httpClient({ origin: listening.origin })
  const cache = new Map<string, string>()
  const sizes: number[] = []
  const reasons: string[] = []
  const until = new AbortController()
  const done = runReflector(
    {
      transport: client.transport,
      resource: pods,
      namespace: 'ci',
      project: ({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion ?? '' }),
      clock: hasty,
      random: seededRandom(3),
      sink: {
        replaced: (items) => {
          cache.clear()
          for (const { name, version } of items) cache.set(name, version)
          sizes.push(items.length)
        },
        changed: ({ name, version }) => void cache.set(name, version),
        removed: ({ name }) => void cache.delete(name),
        progressed: () => {},
        stale: (_, why) => void reasons.push(why),
      },
    },
    until.signal,
  )
  for (let round = 0; streams <= cuts.length && round < 400; round++) {
    server.put(`pod-${round % 50}`)
    if (round % 7 === 0) server.remove(`pod-${100 + (round % 100)}`)
    await clock.sleep(20)
  }
  const stored = () => new Map([...server.objects].map(([name, object]) => [name, object.metadata.resourceVersion]))
  const equal = () => JSON.stringify([...cache].sort()) === JSON.stringify([...stored()].sort())
  for (let tries = 0; tries < 100 && !equal(); tries++) await clock.sleep(20)
  expect(new Map([...cache].sort())).toEqual(new Map([...stored()].sort()))
  expect(streams).toBe(cuts.length + 1)
  expect(sizes).toHaveLength(1)
  expect(sizes[0]).toBeGreaterThan(200)
  expect(reasons).toHaveLength(cuts.length)
  until.abort(new Error('over'))
  await done
  await client.close()
  await listening.close()
})
