// The whole way over real HTTP, against the emulator.
import { afterEach, expect, test } from 'vitest'
import { createGitHubEmulator } from '../../emulator/github/emulator.ts'
import { scriptJob } from '../../emulator/github/script-job.ts'
import { httpClient } from '../../lib/http-client.ts'
import { seededRandom } from '../../lib/random.ts'
import { systemClock } from '../../lib/system.ts'
import { readNews } from '../news-reader.ts'
import { createGitHubForge } from './github.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test('opens, tells demand, registers, follows a job, deregisters, closes', async () => {
  const clock = systemClock()
  const emulator = createGitHubEmulator({ clock, random: seededRandom(1), knobs: { longPollMs: 200 } })
  const server = await emulator.listen(0)
  const client = httpClient()
  cleanups.push(server.close, client.close)
  const forge = createGitHubForge({
    url: `${server.origin}/acme`,
    credential: { kind: 'token', token: 'pat' },
    transport: client.transport,
    clock,
    random: seededRandom(2),
    userAgent: 'dayfly/0.0.0',
  })
  const until = new AbortController()
  const set = { name: 'linux', labels: ['linux'], group: undefined, max: 10 }
  const link = await forge.open(set, undefined, until.signal)
  const reader = readNews(link)
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 0)

  emulator.control.queueJobs([{ labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }])
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 1)
  const registered = await link.register('linux-abc-1')
  if (registered.is !== 'registered') throw new Error(registered.is)
  expect(registered.credential.reveal()).not.toBe('')
  expect((await link.registrations()).map(({ name }) => name)).toEqual(['linux-abc-1'])

  emulator.control.stub.online('linux-abc-1')
  emulator.control.stub.start('linux-abc-1')
  await reader.find('job-started', ({ runner }) => runner === 'linux-abc-1')
  expect(await link.deregister(registered.registration)).toBe('busy')
  emulator.control.stub.finish('linux-abc-1', { conclusion: 'success', outputs: {}, steps: [], note: undefined })
  await reader.find('job-finished', ({ runner }) => runner === 'linux-abc-1')

  const spare = await link.register('linux-abc-2')
  if (spare.is !== 'registered') throw new Error(spare.is)
  expect(await link.deregister(spare.registration)).toBe('removed')
  expect(await link.registrations()).toEqual([])
  await link.close('remove')
  await reader.ended
})
