// Random faults on any route, in any order. Afterwards the state is the same as without them.
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import { isFull } from '@dayfly/kit/full.fixture'
import { noBody } from '@dayfly/kit/http'
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createGitHubForge } from '../github.ts'

const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 50 }
const job = { labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }
const report = { conclusion: 'success', outputs: {}, steps: [], note: undefined } as const

const actions: readonly FaultSpec['action'][] = [
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'after' },
  { kind: 'truncate' },
  { kind: 'empty' },
  { kind: 'bom' },
  { kind: 'delay', ms: 100_000 },
  { kind: 'answer', status: 401, headers: {}, body: {} },
  { kind: 'answer', status: 404, headers: {}, body: { typeName: 'X.RunnerAdminException' } },
  { kind: 'answer', status: 429, headers: { 'retry-after': '7' }, text: 'slow down' },
  { kind: 'answer', status: 500, headers: {}, text: '<html>' },
  { kind: 'answer', status: 200, headers: {}, body: { surprise: true } },
  { kind: 'members', members: { statistics: null } },
  { kind: 'members', members: { messageQueueUrl: '' } },
  { kind: 'members', members: { messageId: 'none' } },
  { kind: 'members', members: { messageId: 2 ** 53 } },
  { kind: 'answer', status: 307, headers: { location: 'http://elsewhere.test/' }, text: '' },
]
const routes = ['.', 'sessions', 'scalesets/message', 'runnerscalesets', 'agents', 'registration', 'generatejit']

function randomFault(random: Random): FaultSpec {
  const pick = <T>(items: readonly T[]): T => items[randomInteger(random, 0, items.length - 1)] as T
  const method = random() < 0.5 ? {} : { method: pick(['GET', 'POST', 'PATCH', 'DELETE']) }
  return {
    match: { ...method, pathRegex: pick(routes) },
    nth: randomInteger(random, 1, 4),
    times: randomInteger(random, 1, 4),
    action: pick(actions),
  }
}

test.each(Array.from({ length: isFull ? 40 : 20 }, (_, seed) => seed))('seed %i', async (seed) => {
  const clock = virtualClock()
  const random = seededRandom(seed)
  const emulator = createGitHubEmulator({
    clock,
    random: seededRandom(seed + 1),
    knobs: {
      latencyMs: [0, 50, 300][seed % 3] ?? 0,
      jobLeaseS: 100_000,
      runnerIdleS: 100_000,
      runnerOfflineS: 100_000,
    },
  })
  const { control } = emulator
  const forge = createGitHubForge({
    url: 'http://github.test/acme',
    credential: { kind: 'token', token: 'pat' },
    transport: emulator.transport,
    clock,
    random,
    userAgent: 'dayfly/0.0.0',
  })
  const stop = new AbortController()
  const opening = forge.open(set, undefined, stop.signal)
  await clock.advance(3_000)
  const link = await opening
  const reader = readForgeEvents(link)
  await clock.advance(3_000)

  const begin = clock.now()
  const started: string[] = []
  const finished: string[] = []
  for (let round = 0; round < 12; round++) {
    for (let faults = randomInteger(random, 0, 2); faults > 0; faults--) control.fault(randomFault(random))
    if (random() < 0.15) for (const { path } of control.requests()) control.loseSession(path.split('/').at(-1) ?? '')
    if (random() < 0.8) control.queueJobs(Array.from({ length: randomInteger(random, 1, 3) }, () => job))
    if (random() < 0.3) link.update({ ...set, labels: ['linux', `label-${round}`] })
    const name = `linux-${round}`
    const registering = link.register(name).then(
      (outcome) => outcome.is === 'registered' && control.stub.online(name),
      (error: unknown) => expect(error).toBeInstanceOf(PortError),
    )
    await clock.advance(randomInteger(random, 0, 90_000))
    let isOver = false
    void registering.finally(() => (isOver = true))
    for (let waited = 0; waited < 200_000 && !isOver; waited += 1_000) await clock.advance(1_000)
    if (control.stub.start(name) === 'started') started.push(name)
    await clock.advance(randomInteger(random, 0, 60_000))
    if (started.includes(name) && random() < 0.7 && control.stub.finish(name, report) === 'finished')
      finished.push(name)
  }
  const requests = control.requests().length
  expect(requests / ((clock.now() - begin) / 1_000)).toBeLessThan(2)

  for (let id = 1; id < 100; id++) control.removeFault(id)
  link.update({ ...set, labels: ['linux', 'last'] })
  await clock.advance(400_000)
  const runnersOf = (kind: ForgeEvent['kind']) =>
    reader.events.flatMap((event) => (event.kind === kind && 'runner' in event ? [event.runner] : []))
  expect(runnersOf('job-started')).toEqual(started)
  expect(runnersOf('job-finished')).toEqual(finished)
  const last = reader.events.findLast(({ kind }) => kind === 'demand' || kind === 'failing')
  expect(last).toMatchObject({ kind: 'demand', demand: { kind: 'assigned', jobs: await assignedJobs(emulator) } })
  expect(reader.events.findLast(({ kind }) => kind === 'settings')).toEqual({ kind: 'settings', failure: undefined })

  for (const { name } of control.registrations()) {
    control.stub.start(name)
    control.stub.finish(name, report)
  }
  const closing = link.close('remove')
  await clock.advance(60_000)
  await closing
  expect(control.registrations()).toEqual([])
  expect(clock.next()).toBeUndefined()
  emulator.close()
})

/** Returns the number of assigned jobs at the emulator, whose only set has the last labels. */
async function assignedJobs(emulator: GitHubEmulator): Promise<number> {
  const request = { method: 'GET', path: '/_emulator/state', query: {}, headers: {}, body: noBody } as const
  const { body } = await emulator.handler({ ...request, expect: 'whole' })
  const { scaleSets } = stateSchema.parse(body.kind === 'json' ? body.value : undefined)
  expect(scaleSets.map(({ labels }) => labels)).toEqual([['linux', 'last']])
  return scaleSets[0]?.statistics.totalAssignedJobs ?? Number.NaN
}

const stateSchema = z.object({
  scaleSets: z.array(
    z.object({ labels: z.array(z.string()), statistics: z.object({ totalAssignedJobs: z.number() }) }),
  ),
})
