// The numbered cases of the reference that a client and any server can show (docs/reference/gitea.md#s9). The tests run them against the
// emulated server, and the tier of the real one against that.
import { assert } from '@dayfly/kit/assert'
import {
  build,
  demand,
  endTask,
  fetchTask,
  type GiteaBench,
  names,
  online,
  type RunnerKey,
  registered,
  reported,
} from './conformance-bench.fixture.ts'

export type GiteaCase = { readonly name: string; run(bench: GiteaBench): Promise<void> }

export const giteaCases: readonly GiteaCase[] = [
  {
    name: '1: a runner that never comes online is listed as offline, and can be removed',
    run: async (bench) => {
      const { link } = await bench.open()
      const { registration } = await registered(bench, link, 'linux-a')
      const [listed] = await bench.wait(link.registrations())
      assert(listed?.status === 'offline' && listed.busy === false, 'it is offline and idle')
      assert((await bench.wait(link.deregister(registration))) === 'removed', 'it is removed')
      assert((await bench.wait(link.registrations())).length === 0, 'it is gone')
    },
  },
  {
    name: '3: a registration goes on with a new token after a reset',
    run: async (bench) => {
      const { link } = await bench.open()
      await registered(bench, link, 'linux-a')
      await bench.resetToken()
      await registered(bench, link, 'linux-b')
    },
  },
  {
    name: '4: of two runners with one name, only the one that is meant is removed',
    run: async (bench) => {
      const { link } = await bench.open()
      const { registration } = await registered(bench, link, 'linux-a')
      const { value } = await bench.rest('POST', '/actions/runners/registration-token')
      const { token } = value as { readonly token: string }
      await bench.rpc('Register', { name: 'linux-a', token, labels: ['linux'], version: 'test', ephemeral: true })
      assert((await bench.wait(link.registrations())).length === 2, 'both are listed')
      await bench.wait(link.deregister(registration))
      const [left] = await bench.wait(link.registrations())
      assert(left !== undefined && left.id !== registration.id, 'the other one stays')
    },
  },
  {
    name: '6: labels keep their case',
    run: async (bench) => {
      const { link, reader } = await bench.open({ labels: ['linux', 'Linux-X64'] })
      await bench.start(build('linux-x64'))
      await bench.start(build('Linux-X64'))
      await demand(bench, reader, 1)
      await registered(bench, link, 'linux-a')
      const { value } = await bench.rest('GET', '/actions/runners')
      assert(JSON.stringify(value).includes('Linux-X64'), 'the runner has the label')
    },
  },
  {
    name: '8: the demand counts the jobs of all pages',
    run: async (bench) => {
      const { reader } = await bench.open()
      await bench.start(build('linux', 70))
      await demand(bench, reader, 70)
    },
  },
  {
    name: '11: a job that needs another one is no demand until that has ended',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(
        `${build('linux')}  test:\n    needs: build\n    runs-on: linux\n    steps: [{ run: "true" }]\n`,
      )
      await demand(bench, reader, 1)
      const runner = await online(bench, link, 'linux-a')
      const task = await fetchTask(bench, runner)
      await demand(bench, reader, 0)
      reader.clear()
      await endTask(bench, runner, task)
      await demand(bench, reader, 1)
      const [waits] = reported(reader, 'job-waits')
      assert(waits?.job.name === 'test', 'the second job waits now')
    },
  },
  {
    name: '12: a job with labels that no set has is no demand',
    run: async (bench) => {
      const { reader } = await bench.open()
      await bench.start(build('[linux, gpu]'))
      await bench.start(build('linux'))
      await demand(bench, reader, 1)
      assert(reported(reader, 'job-waits').length === 1, 'only one job waits for the set')
    },
  },
  {
    name: '13: a job without labels is the demand of one set',
    run: async (bench) => {
      const [first, second] = [
        await bench.open(),
        await bench.open({ name: 'gpu', runnerPrefix: 'gpu-', labels: ['gpu', 'big'] }),
      ]
      first.reader.clear()
      second.reader.clear()
      await bench.start(build('[]'))
      await demand(bench, first.reader, 1)
      await demand(bench, second.reader, 0)
      assert(reported(second.reader, 'job-waits').length === 0, 'it waits for one set')
    },
  },
  {
    name: '14: the demand falls when a waiting job is cancelled, and its runner can be removed',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const { job } = await bench.wait(reader.find('job-waits'))
      const runner = await online(bench, link, 'linux-a')
      reader.clear()
      await bench.cancel(job.id)
      const dropped = await bench.wait(reader.find('job-dropped'))
      assert(dropped.jobId === job.id && dropped.result === 'canceled', 'it was cancelled')
      await demand(bench, reader, 0)
      assert((await bench.wait(link.deregister(runner.registration))) === 'removed', 'the surplus runner goes')
    },
  },
  {
    name: '15: the demand falls when a runner of another owner takes the job',
    run: async (bench) => {
      const { reader } = await bench.open()
      await bench.start(build('linux'))
      await demand(bench, reader, 1)
      reader.clear()
      const { value } = await bench.rest('POST', '/actions/runners/registration-token')
      const { token } = value as { readonly token: string }
      const answer = await bench.rpc('Register', { name: 'other', token, labels: ['linux'], version: 'test' })
      assert((await fetchTask(bench, answer['runner'] as RunnerKey)) !== undefined, 'it has the job')
      await demand(bench, reader, 0)
      assert(
        reported(reader, 'job-dropped').length === 1 && reported(reader, 'job-started').length === 0,
        'it is not ours',
      )
    },
  },
  {
    name: '17: a job that is run again is demand again, and starts a second time',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const { job } = await bench.wait(reader.find('job-waits'))
      const runner = await online(bench, link, 'linux-a')
      await endTask(bench, runner, await fetchTask(bench, runner))
      await bench.wait(reader.find('job-finished'))
      reader.clear()
      const { value } = await bench.rest('GET', `/actions/jobs/${job.id}`)
      const { run_id: run } = value as { readonly run_id: number }
      await bench.rest('POST', `/actions/runs/${run}/rerun`)
      await demand(bench, reader, 1)
      const again = await online(bench, link, 'linux-b')
      assert((await fetchTask(bench, again)) !== undefined, 'the job is given again')
      const started = await bench.wait(reader.find('job-started'))
      assert(started.job.id === job.id && started.runner === 'linux-b', 'the same job, on another runner')
    },
  },
  {
    name: '21: a runner that has just got a job is busy, also if the list of runners says otherwise',
    run: async (bench) => {
      const { link } = await bench.open()
      await bench.start(build('linux'))
      const runner = await online(bench, link, 'linux-a')
      assert((await fetchTask(bench, runner)) !== undefined, 'it has a job')
      assert((await bench.wait(link.deregister(runner.registration))) === 'busy', 'it stays')
      assert(names(await bench.wait(link.registrations())) === 'linux-a', 'with its registration')
    },
  },
  {
    name: '25: a job that a runner gets beside its cordon keeps it',
    run: async (bench) => {
      const { link } = await bench.open()
      await bench.start(build('linux'))
      const runner = await online(bench, link, 'linux-a')
      const [task] = await Promise.all([fetchTask(bench, runner), bench.wait(link.cordon(runner.registration))])
      const answer = await bench.wait(link.deregister(runner.registration))
      assert(answer === (task === undefined ? 'removed' : 'busy'), `with the task ${task} it is ${answer}`)
    },
  },
  {
    name: '26: a runner that was deleted during its job is busy as long as the server shows the job',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const runner = await online(bench, link, 'linux-a')
      assert((await fetchTask(bench, runner)) !== undefined, 'it has a job')
      await bench.wait(reader.find('job-started'))
      await bench.rest('DELETE', `/actions/runners/${runner.registration.id}`)
      const listed = await bench.wait(link.registrations())
      assert(listed.length === 1 && listed[0]?.id === runner.registration.id && listed[0].busy === true, 'busy')
      assert(reported(reader, 'job-finished').length === 0, 'its job hangs')
    },
  },
  {
    name: '27: a registration that is gone is absent',
    run: async (bench) => {
      const { link } = await bench.open()
      const { registration } = await registered(bench, link, 'linux-a')
      await bench.rest('DELETE', `/actions/runners/${registration.id}`)
      assert((await bench.wait(link.deregister(registration))) === 'absent', 'it is absent')
    },
  },
  {
    name: '29: a disabled runner finishes its job, and gets no other one',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux', 2))
      const [busy, idle] = [await online(bench, link, 'linux-a'), await online(bench, link, 'linux-b')]
      const task = await fetchTask(bench, busy)
      for (const { registration } of [busy, idle]) await bench.wait(link.cordon(registration))
      assert((await fetchTask(bench, idle)) === undefined, 'the idle one gets none')
      await endTask(bench, busy, task)
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.runner === 'linux-a' && finished.result === 'succeeded', 'the other one finishes')
    },
  },
  {
    name: '30 and 35: the registration goes with the end of the task, whose time is ours and not that of its runner',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const runner = await online(bench, link, 'linux-a')
      const task = await fetchTask(bench, runner)
      const { at } = await bench.wait(reader.find('job-started'))
      await endTask(bench, runner, task, '2020-01-01T00:00:00Z')
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.at >= at && finished.result === 'succeeded', 'it ended after its start')
      assert((await bench.wait(link.registrations())).length === 0, 'its registration is gone')
    },
  },
  {
    name: '34: the job of a cancelled run ends, and its runner is refused',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      const runner = await online(bench, link, 'linux-a')
      assert((await fetchTask(bench, runner)) !== undefined, 'it has a job')
      const { job } = await bench.wait(reader.find('job-started'))
      await bench.cancel(job.id)
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.result === 'canceled', `it was ${finished.result}`)
      const refused = await bench.rpc('FetchTask', { tasksVersion: '0' }, runner)
      assert(String(refused['message']).includes('unregistered runner'), 'the runner is refused')
    },
  },
  {
    name: '49: a set whose repository was deleted says so',
    run: async (bench) => {
      const { reader } = await bench.open()
      reader.clear()
      await bench.rest('DELETE', '')
      const { failure } = await bench.wait(reader.find('failing'))
      assert(failure.reason === 'forge-misconfigured', `it is ${failure.reason}`)
    },
  },
]
