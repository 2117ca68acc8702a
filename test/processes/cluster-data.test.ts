// Kills `dayfly cluster --data-dir` under load, again and again: each start has everything that was acknowledged before.
// DAYFLY_KILLS chooses how often.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { jsonBody, type Method, noBody, type Transport } from '../../src/lib/http.ts'
import { type HttpClient, httpClient } from '../../src/lib/http-client.ts'
import { type Random, randomInteger, seededRandom } from '../../src/lib/random.ts'
import { type Cli, createWorld, until, type World } from '../cli.ts'

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

type Running = { readonly cli: Cli; readonly client: HttpClient; readonly send: Send; readonly cpuMs: number }
type Send = (method: Method, target: string, body?: object) => ReturnType<Transport>

async function start(): Promise<Running> {
  const kubeconfig = path.join(world.directory, 'own-kubeconfig')
  const data = path.join(world.directory, 'own', 'data')
  const cli = world.start('cluster', '--data-dir', data, '--kubeconfig', kubeconfig, '--json')
  void cli.ended
  await until('the cluster is ready', 60_000, () => cli.stdout().includes('kubeconfig') || cli.stderr() !== '')
  expect(cli.stderr()).toBe('')
  const cpuMs = cpuMsOf(cli.child.pid ?? 0)
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'))
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
  const client = httpClient({ origin: clusters[0].cluster.server, tls: { ca } })
  const headers = { authorization: `Bearer ${users[0].user.token}` }
  const send: Send = (method, target, body) => {
    const content = body === undefined ? noBody : jsonBody(body)
    return client.transport({ method, path: target, query: {}, headers, body: content, expect: 'whole' })
  }
  return { cli, client, send, cpuMs }
}

/** The processor time that a process has used. Linux counts it in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The number of writes and the newest revision among them. */
type Written = { readonly newest: number; readonly writes: number }

/** Creates, replaces and deletes one object until the server is gone. Returns its acknowledged writes. */
async function write(send: Send, name: string, known: Known, random: Random): Promise<Written> {
  let [newest, writes] = [0, 0]
  for (let round = 0; ; round++) {
    const isThere = known.acknowledged !== undefined
    known.asked = isThere && random() < 0.3 ? undefined : `${round}-${'x'.repeat(randomInteger(random, 0, 3_000))}`
    const body = { metadata: { name }, data: { text: known.asked } }
    const method = known.asked === undefined ? 'DELETE' : isThere ? 'PUT' : 'POST'
    const target = method === 'POST' ? maps : `${maps}/${name}`
    try {
      const answer = await send(method, target, method === 'DELETE' ? undefined : body)
      expect([200, 201]).toContain(answer.status)
      if (answer.body.kind === 'json') newest = Math.max(newest, revisionIn(answer.body.value))
      known.acknowledged = known.asked
      writes++
    } catch (error) {
      if (error instanceof Error && error.name === 'TransportError') return { newest, writes }
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
  let [newest, writes] = [0, 0]
  for (let kill = 0; kill <= kills; kill++) {
    const { cli, client, send } = await start()
    const { body } = await send('GET', maps)
    if (body.kind !== 'json') throw new Error('no list')
    expect(revisionIn(body.value)).toBeGreaterThanOrEqual(newest)
    const items = (body.value as { items: { metadata: { name: string }; data: { text: string } }[] }).items
    for (const [name, known] of all) {
      const found = items.find(({ metadata }) => metadata.name === name)?.data.text
      expect([known.acknowledged, known.asked], `${name} after kill ${kill}`).toContain(found)
      known.acknowledged = found
      known.asked = found
    }
    const writing = [...all].map(([name, known]) => write(send, name, known, random))
    setTimeout(() => cli.child.kill('SIGKILL'), randomInteger(random, 30, 500))
    const seen = await Promise.all(writing)
    writes += seen.reduce((sum, one) => sum + one.writes, 0)
    newest = Math.max(newest, ...seen.map((one) => one.newest))
    await cli.ended
    await client.close()
  }
  // The kills must have come under load.
  process.stdout.write(`${kills + 1} kills, ${writes} acknowledged writes\n`)
  expect(writes).toBeGreaterThan(kills * 5)
}, 1_800_000)

test('it starts within 2 s of processor time with 10,000 objects', async () => {
  const first = await start()
  const work = Array.from({ length: 10_000 }, (_, index) => index)
  const creators = Array.from({ length: writers }, async () => {
    for (let index = work.pop(); index !== undefined; index = work.pop()) {
      const metadata = { name: `o${index}`, labels: { app: 'a' } }
      expect((await first.send('POST', maps, { metadata, data: { text: 'x'.repeat(500) } })).status).toBe(201)
    }
  })
  await Promise.all(creators)
  first.cli.child.kill('SIGKILL')
  await first.cli.ended
  await first.client.close()
  const times: number[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const { cli, client, cpuMs } = await start()
    times.push(cpuMs)
    cli.child.kill('SIGKILL')
    await cli.ended
    await client.close()
  }
  process.stdout.write(`ready after ${times.join(', ')} ms of processor time\n`)
  expect(Math.max(...times)).toBeLessThan(2_000)
}, 180_000)
