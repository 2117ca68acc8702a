// The numbered cases of the reference that a client and any server can show (docs/reference/gitea.md#s9). The tests run them against the
// emulated server, and the tier of the real one against that.
import { assert } from '@dayfly/kit/assert'
import { PortError } from '@dayfly/runner-set/model/port-error'
import {
  build,
  demand,
  endTask,
  fetchTask,
  type GiteaCase,
  names,
  online,
  registered,
  registerOther,
  reported,
} from './conformance-bench.fixture.ts'
import { giteaDemandCases } from './conformance-demand.fixture.ts'
import { giteaServerCases } from './conformance-server.fixture.ts'

const runnerCases: readonly GiteaCase[] = [
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
      await registerOther(bench, bench.level, 'linux-a', { ephemeral: true })
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
    name: '7: the longest name of ours arrives whole, and the server cuts a longer one that no set sends',
    run: async (bench) => {
      const { link } = await bench.open()
      const longest = `linux-${'a'.repeat(57)}`
      await registered(bench, link, longest)
      assert(names(await bench.wait(link.registrations())) === longest, 'it is listed by its whole name')
      const refused = await bench.wait(link.register(`${longest}a`).catch((error: unknown) => error))
      assert(refused instanceof PortError && refused.kind === 'bad-config', 'a longer one is refused before it is sent')
      const cut = await registerOther(bench, bench.level, 'a'.repeat(300))
      assert(cut.name === `${'a'.repeat(252)}…`, `the server keeps ${cut.name.length} characters`)
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
    name: '28: a runner is found at its own level only',
    run: async (bench) => {
      const { link } = await bench.open()
      const { registration } = await registered(bench, link, 'linux-a')
      const owner = '/orgs/acme'
      const elsewhere = await bench.api('DELETE', `${owner}/actions/runners/${registration.id}`)
      assert(elsewhere.status === 404, `the organization answers ${elsewhere.status} for a runner of its repository`)
      const other = await registerOther(bench, owner, 'linux-b', { ephemeral: true })
      assert(names(await bench.wait(link.registrations())) === 'linux-a', 'the repository has its own runner alone')
      const answer = await bench.wait(link.deregister({ ...registration, id: other.id }))
      assert(answer === 'absent', `that of the organization is ${answer}`)
      const left = await bench.api('DELETE', `${owner}/actions/runners/${other.id}`)
      assert(left.status === 204, 'the organization still had it')
      assert((await bench.wait(link.deregister(registration))) === 'removed', 'our own is removed')
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

/** The cases for a server with the default timeouts. */
export const giteaCases: readonly GiteaCase[] = [...runnerCases, ...giteaDemandCases, ...giteaServerCases]
