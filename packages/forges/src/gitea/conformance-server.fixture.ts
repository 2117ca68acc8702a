// The numbered cases in which the server itself crashes, is slow, gives up, or keeps jobs from a user (docs/reference/gitea.md#s9).
import { assert } from '@dayfly/kit/assert'
import { readForgeEvents } from '../event-reader.fixture.ts'
import {
  build,
  demand,
  endTask,
  fetchTask,
  type GiteaBench,
  type GiteaCase,
  names,
  online,
  reported,
} from './conformance-bench.fixture.ts'

export const giteaServerCases: readonly GiteaCase[] = [
  {
    name: '37: a server that was killed ends no job, and its runner goes on with the same registration',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux', 2))
      const runner = await online(bench, link, 'linux-a')
      const task = await fetchTask(bench, runner)
      await bench.wait(reader.find('job-started'))
      await demand(bench, reader, 1)
      const ends = () => reported(reader, 'job-finished').length + reported(reader, 'job-dropped').length
      await bench.crash(async () => {
        await bench.wait(reader.find('failing'))
        assert(ends() === 0, 'nothing ends while the server is away')
        reader.clear()
      })
      await demand(bench, reader, 1)
      assert(ends() === 0, 'nothing has ended when the server is back')
      assert(names(await bench.wait(link.registrations())) === 'linux-a', 'the registration is there')
      await endTask(bench, runner, task)
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.runner === 'linux-a' && finished.result === 'succeeded', 'the job ends as its runner says')
    },
  },
  {
    name: '40: times are ours, although the clock of the server is five minutes behind',
    run: async (bench) => {
      await bench.start(build('linux'))
      const { link, reader } = await bench.open({}, 5 * 60_000)
      const waits = await bench.wait(reader.find('job-waits'))
      const { at } = await bench.wait(reader.find('demand'))
      assert(at - waits.queuedAt < 60_000, `the job has waited for ${at - waits.queuedAt} ms`)
      assert((await fetchTask(bench, await online(bench, link, 'linux-a'))) !== undefined, 'it has a job')
      const started = await bench.wait(reader.find('job-started'))
      assert(started.at >= at - 60_000, `it began ${at - started.at} ms before the first poll`)
    },
  },
  {
    name: '47: a member who does not own the organization gets no demand, and the set says what is missing',
    run: async (bench) => {
      await bench.start(build('linux'))
      const forge = await bench.connectMember()
      const stop = new AbortController()
      const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 1 }
      const reader = readForgeEvents(await bench.wait(forge.open(set, undefined, stop.signal)))
      const { failure } = await bench.wait(reader.find('failing'))
      stop.abort()
      assert(failure.reason === 'forge-unauthorized', `it is ${failure.reason}`)
      assert(failure.message.includes('its user must own the organization'), failure.message)
      assert(reported(reader, 'demand').length === 0, 'a list that may lack jobs is no demand')
    },
  },
]

/** The server's timeouts must be a few seconds. */
export const giteaTimeoutCases: readonly GiteaCase[] = [
  {
    name: '20: the demand falls when the server gives up the jobs that wait',
    run: async (bench) => {
      const { reader } = await bench.open()
      await bench.start(build('linux', 2))
      await demand(bench, reader, 2)
      reader.clear()
      await bench.outlastTimeouts()
      await runCron(bench, 'cancel_abandoned_jobs')
      await demand(bench, reader, 0)
      const results = reported(reader, 'job-dropped').map(({ result }) => result)
      assert(results.join() === 'canceled,canceled', `they are ${results}`)
    },
  },
  {
    name: '31: a job whose task was lost on its way is on its runner until the server fails it, and no demand',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const { job } = await bench.wait(reader.find('job-waits'))
      const runner = await online(bench, link, 'linux-a')
      reader.clear()
      // The runner never learns of this answer.
      assert((await fetchTask(bench, runner)) !== undefined, 'the server gives the job')
      assert((await fetchTask(bench, runner)) === undefined, 'it gives the job once')
      const started = await bench.wait(reader.find('job-started'))
      assert(started.job.id === job.id && started.runner === 'linux-a', 'the job is shown on its runner')
      await demand(bench, reader, 0)
      assert((await bench.wait(link.deregister(runner.registration))) === 'busy', 'its runner stays')
      await bench.outlastTimeouts()
      await runCron(bench, 'stop_zombie_tasks')
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.jobId === job.id && finished.result === 'failed', `it was ${finished.result}`)
      assert((await bench.wait(link.registrations())).length === 0, 'its registration is gone')
      assert(reported(reader, 'job-waits').length === 0, 'it waits for no other runner')
    },
  },
  {
    name: '39: the jobs that the server fails at its start have ended, and their runners are gone',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      assert((await fetchTask(bench, await online(bench, link, 'linux-a'))) !== undefined, 'it has a job')
      await bench.wait(reader.find('job-started'))
      await bench.crash(async () => {
        await bench.wait(reader.find('failing'))
        await bench.outlastTimeouts()
        assert(reported(reader, 'job-finished').length === 0, 'nothing ends while the server is away')
        reader.clear()
      })
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.runner === 'linux-a' && finished.result === 'failed', `it was ${finished.result}`)
      await demand(bench, reader, 0)
      assert((await bench.wait(link.registrations())).length === 0, 'its registration is gone')
    },
  },
]

async function runCron(bench: GiteaBench, task: string): Promise<void> {
  assert((await bench.api('POST', `/admin/cron/${task}`)).status === 204, `the cron task ${task} ran`)
}
