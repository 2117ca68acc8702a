// The numbered cases about jobs that wait (docs/reference/gitea.md#s9).
import { assert } from '@dayfly/kit/assert'
import {
  build,
  demand,
  endTask,
  fetchTask,
  type GiteaCase,
  grouped,
  online,
  registered,
  registerOther,
  reported,
} from './conformance-bench.fixture.ts'

export const giteaDemandCases: readonly GiteaCase[] = [
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
      const other = await registerOther(bench, bench.level, 'other')
      assert((await fetchTask(bench, other)) !== undefined, 'it has the job')
      await demand(bench, reader, 0)
      assert(
        reported(reader, 'job-dropped').length === 1 && reported(reader, 'job-started').length === 0,
        'it is not ours',
      )
    },
  },
  {
    name: '16: a runner that gets an older job than the one that it came for leaves that one waiting',
    run: async (bench) => {
      const [linux, gpu] = [
        await bench.open(),
        await bench.open({ name: 'gpu', runnerPrefix: 'gpu-', labels: ['linux', 'gpu'] }),
      ]
      await bench.start(build('linux'))
      await bench.start(build('[linux, gpu]'))
      const [older, newer] = [
        await bench.wait(linux.reader.find('job-waits')),
        await bench.wait(gpu.reader.find('job-waits')),
      ]
      const first = await registered(bench, gpu.link, 'gpu-a')
      for (const { reader } of [linux, gpu]) reader.clear()
      assert((await fetchTask(bench, first)) !== undefined, 'it has a job')
      const started = await bench.wait(gpu.reader.find('job-started'))
      assert(started.job.id === older.job.id, 'it has the job of the other set')
      await demand(bench, gpu.reader, 1)
      await demand(bench, linux.reader, 0)
      const dropped = await bench.wait(linux.reader.find('job-dropped'))
      assert(dropped.jobId === older.job.id && dropped.result === 'taken', 'the other set waits for it no more')
      assert((await fetchTask(bench, await registered(bench, gpu.link, 'gpu-b'))) !== undefined, 'another runner comes')
      const second = await bench.wait(gpu.reader.find('job-started', ({ runner }) => runner === 'gpu-b'))
      assert(second.job.id === newer.job.id, 'it has the newer job')
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
    name: '18: a newer run of a group cancels the one that waits, and is no demand while another one runs',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(grouped('deploy'))
      const first = await bench.wait(reader.find('job-waits'))
      reader.clear()
      await bench.start(grouped('deploy'))
      const dropped = await bench.wait(reader.find('job-dropped'))
      assert(dropped.jobId === first.job.id && dropped.result === 'canceled', 'the newer run replaced the first one')
      const second = await bench.wait(reader.find('job-waits'))
      await demand(bench, reader, 1)
      const runner = await online(bench, link, 'linux-a')
      const task = await fetchTask(bench, runner)
      const started = await bench.wait(reader.find('job-started'))
      assert(started.job.id === second.job.id, 'the second one runs')
      reader.clear()
      for (const _ of [3, 4]) await bench.start(grouped('deploy'))
      await demand(bench, reader, 0)
      assert(reported(reader, 'job-waits').length === 0, 'the next ones are not ready')
      await endTask(bench, runner, task)
      await demand(bench, reader, 1)
      const { value } = await bench.rest('GET', '/actions/jobs')
      const newest = Math.max(
        ...(value as { readonly jobs: readonly { readonly id: number }[] }).jobs.map(({ id }) => id),
      )
      const waits = reported(reader, 'job-waits').map(({ job }) => job.id)
      assert(waits.join() === String(newest), `only the newest one is ready, of ${waits}`)
    },
  },
  {
    name: '19: the waiting jobs of an archived repository are demand, and run',
    run: async (bench) => {
      const { link, reader } = await bench.open()
      await bench.start(build('linux'))
      await demand(bench, reader, 1)
      await bench.archive()
      reader.clear()
      await demand(bench, reader, 1)
      const runner = await online(bench, link, 'linux-a')
      const task = await fetchTask(bench, runner)
      await bench.wait(reader.find('job-started'))
      await endTask(bench, runner, task)
      const finished = await bench.wait(reader.find('job-finished'))
      assert(finished.runner === 'linux-a' && finished.result === 'succeeded', 'it ran')
    },
  },
]
