// The runner against the emulated GitHub: registration, session, job, report, and no remains.
import { type HttpClient, httpClient } from '@dayfly/kit/http-client'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobEvent } from '../github/emulation.ts'
import { createGitHubEmulator, type GitHubEmulator } from '../github/emulator.ts'
import { scriptJob } from '../github/script-job.ts'
import { connectClient, field, queueOf } from '../github/test-client.fixture.ts'
import { type RunnerProgram, runnerProgram } from './runner-program.fixture.ts'

let emulator: GitHubEmulator
let server: HttpServer
let client: HttpClient
let program: RunnerProgram

beforeEach(async () => {
  emulator = createGitHubEmulator({ clock: systemClock(), random: seededRandom(1) })
  server = await emulator.listen(0)
  client = httpClient({ origin: server.origin })
  program = await runnerProgram()
})

afterEach(async () => {
  await client.close()
  await server.close()
  await program.remove()
})

/** Creates a scale set whose session accepts jobs. Returns a function that registers runners in it. */
async function openSet() {
  const github = await connectClient(client.transport)
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  const register = async (name: string) => {
    const path = `_apis/runtime/runnerscalesets/${set}/generatejitconfig`
    return String(field(await github.admin('POST', path, { name }), 'encodedJITConfig'))
  }
  return { poll: () => github.poll(queue), register }
}

function nextEvent(kind: JobEvent['kind']): Promise<JobEvent> {
  return new Promise((resolve) => {
    const stop = emulator.control.onJob((jobEvent) => {
      if (jobEvent.kind !== kind) return
      stop()
      resolve(jobEvent)
    })
  })
}

const spec = (...scripts: string[]) => ({
  labels: ['linux'],
  name: 'build',
  message: scriptJob(
    'build',
    scripts.map((run) => ({ run })),
  ),
})

test('runs and reports a job, and its registration is gone', async () => {
  const { poll, register } = await openSet()
  const finished = nextEvent('finished')
  const first = nextEvent('first-step')
  const held = poll()
  const [queued] = emulator.control.queueJobs([spec('echo one', 'echo two; exit 1')])
  await held
  const runner = program.start(await register('r-1'))
  expect(await first).toMatchObject({ id: queued?.id, runner: 'r-1' })
  expect(await finished).toMatchObject({ result: 'failed', runs: 1, report: { conclusion: 'failure' } })
  expect((await runner.ended).code).toBe(0)
  expect(emulator.control.registrations()).toEqual([])
  expect(emulator.control.job(queued?.id ?? '')?.log.lines).toEqual(expect.arrayContaining(['one', 'two']))
})

test('a cancelled job ends its step at once', async () => {
  const { poll, register } = await openSet()
  const finished = nextEvent('finished')
  const first = nextEvent('first-step')
  const held = poll()
  const [queued] = emulator.control.queueJobs([spec('sleep 64')])
  await held
  const runner = program.start(await register('r-1'))
  await first
  const cancelledAt = performance.now()
  emulator.control.cancel(queued?.id ?? '')
  expect(await finished).toMatchObject({ result: 'canceled', report: { conclusion: 'cancelled' } })
  expect(performance.now() - cancelledAt).toBeLessThan(5_000)
  expect((await runner.ended).code).toBe(0)
})

test('accepts a credential once: the second of two runners runs no job', async () => {
  const { poll, register } = await openSet()
  const finished = nextEvent('finished')
  const held = poll()
  emulator.control.queueJobs([spec('sleep 0.3')])
  await held
  const credential = await register('r-1')
  const [one, other] = [program.start(credential), program.start(credential)]
  expect(await finished).toMatchObject({ result: 'succeeded', runs: 1 })
  const ends = await Promise.race([one.ended, other.ended])
  expect(ends.code).toBe(0)
  expect(ends.output).toMatch(/completed with result: Succeeded/)
  one.kill('SIGTERM')
  other.kill('SIGTERM')
  const outputs = (await Promise.all([one.ended, other.ended])).map((end) => end.output)
  expect(outputs.filter((output) => output.includes('Running job')).length).toBe(1)
})

test('an idle runner ends when its registration is removed', async () => {
  const { register } = await openSet()
  const runner = program.start(await register('r-1'))
  for (;;) {
    if (emulator.control.registrations().some((registration) => registration.online)) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const [registration] = emulator.control.registrations()
  const github = await connectClient(client.transport)
  await github.admin('DELETE', `_apis/distributedtask/pools/0/agents/${registration?.id}`)
  expect((await runner.ended).code).toBe(0)
})
