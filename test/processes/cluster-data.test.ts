// Kills `dayfly cluster --data-dir` under load, again and again: each start has everything that was acknowledged before.
// DAYFLY_KILLS chooses how often.
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, until, type World } from '../cli.ts'
import { type Send, startKept } from '../cluster/kept-cluster.ts'

const kills = Number(process.env['DAYFLY_KILLS'] ?? 5)
const writers = 8
const maps = '/api/v1/namespaces/default/configmaps'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.end())

/** The state that one writer wants for its object: the text in it, or undefined without the object. */
type Wanted = string | undefined
/** The last state that the server acknowledged, and the one that it may have reached before it was killed. */
type Known = { acknowledged: Wanted; asked: Wanted }

/** The number of acknowledged writes and the newest revision among them. */
type Written = { newest: number; writes: number }

/** Creates, replaces and deletes one object until the server is gone. */
async function write(send: Send, name: string, known: Known, run: { random: Random; written: Written }): Promise<void> {
  const { random, written } = run
  for (let round = 0; ; round++) {
    const isThere = known.acknowledged !== undefined
    known.asked = isThere && random() < 0.3 ? undefined : `${round}-${'x'.repeat(randomInteger(random, 0, 3_000))}`
    const body = { metadata: { name }, data: { text: known.asked } }
    const method = known.asked === undefined ? 'DELETE' : isThere ? 'PUT' : 'POST'
    const target = method === 'POST' ? maps : `${maps}/${name}`
    try {
      const answer = await send(method, target, method === 'DELETE' ? undefined : body)
      expect([200, 201]).toContain(answer.status)
      if (answer.body.kind === 'json') written.newest = Math.max(written.newest, revisionIn(answer.body.value))
      known.acknowledged = known.asked
      written.writes++
    } catch (error) {
      if (error instanceof Error && error.name === 'TransportError') return
      throw error
    }
  }
}

function revisionIn(value: unknown): number {
  return Number((value as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? 0)
}

test(`nothing that was acknowledged is lost over ${kills} kills under load`, async () => {
  const random = seededRandom(Number(process.env['DAYFLY_FUZZ_SEED'] ?? 1))
  const all = new Map<string, Known>()
  for (let index = 0; index < writers; index++) all.set(`m${index}`, { acknowledged: undefined, asked: undefined })
  const written = { newest: 0, writes: 0 }
  for (let kill = 0; kill <= kills; kill++) {
    const { end, send } = await startKept(world)
    const { body } = await send('GET', maps)
    if (body.kind !== 'json') throw new Error('no list')
    expect(revisionIn(body.value)).toBeGreaterThanOrEqual(written.newest)
    const items = (body.value as { items: { metadata: { name: string }; data: { text: string } }[] }).items
    for (const [name, known] of all) {
      const found = items.find(({ metadata }) => metadata.name === name)?.data.text
      expect([known.acknowledged, known.asked], `${name} after kill ${kill}`).toContain(found)
      known.acknowledged = found
      known.asked = found
    }
    const writing = [...all].map(([name, known]) => write(send, name, known, { random, written }))
    // The kill must come under load, also on a busy machine.
    const enough = written.writes + writers
    await new Promise((resolve) => setTimeout(resolve, randomInteger(random, 30, 500)))
    await until('some writes are acknowledged', 60_000, () => written.writes >= enough)
    await end('SIGKILL')
    await Promise.all(writing)
  }
  process.stdout.write(`${kills + 1} kills, ${written.writes} acknowledged writes\n`)
}, 1_800_000)

test('it starts within 2 s of processor time with 10,000 objects', async () => {
  const first = await startKept(world)
  const work = Array.from({ length: 10_000 }, (_, index) => index)
  const creators = Array.from({ length: writers }, async () => {
    for (let index = work.pop(); index !== undefined; index = work.pop()) {
      const metadata = { name: `o${index}`, labels: { app: 'a' } }
      expect((await first.send('POST', maps, { metadata, data: { text: 'x'.repeat(500) } })).status).toBe(201)
    }
  })
  await Promise.all(creators)
  await first.end('SIGKILL')
  const times: number[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const { cpuMs, end } = await startKept(world)
    times.push(cpuMs)
    await end('SIGKILL')
  }
  process.stdout.write(`ready after ${times.join(', ')} ms of processor time\n`)
  expect(Math.max(...times)).toBeLessThan(2_000)
}, 180_000)
