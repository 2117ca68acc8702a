// A job of an emulated Gitea that its runner does not get: which runners the controller starts, and what it shows.
import { expect, test } from 'vitest'
import { openGiteaWorld } from './gitea-world.ts'
import { confirmDeletions, events, podNames, run, schedule, status } from './stage.ts'

type World = ReturnType<typeof openGiteaWorld>

/** Lets the kubelet start the container of a pod. */
function start(world: World, name: string): void {
  schedule(world, name)
  run(world, name)
}

test('16: starts another runner when the first one gets an older job than the one that it came for', async () => {
  const world = openGiteaWorld(['linux'])
  const { clock, emulator } = world
  const { control } = emulator
  world.addSet('gpu', {
    gitea: { url: 'https://gitea.test/acme', credentials: { secret: 'gitea' }, labels: ['linux'] },
  })
  await clock.advance(30_000)
  const [, newer = ''] = control.queueJobs(
    [['linux'], ['linux', 'gpu']].map((labels) => ({ repository: 'acme/app', labels })),
  )
  await clock.advance(30_000)
  const [first = ''] = podNames(world).filter((name) => name.startsWith('gpu-'))
  expect(podNames(world)).toHaveLength(2)
  start(world, first)
  control.stub.online(first)
  expect(control.runner(first)?.job).toBe('1')
  await clock.advance(30_000)
  const [second = ''] = podNames(world).filter((name) => name.startsWith('gpu-') && name !== first)
  start(world, second)
  control.stub.online(second)
  await clock.advance(10_000)
  expect([control.job(newer)?.runner, podNames(world).filter((name) => name.startsWith('gpu-')).length]).toEqual([
    second,
    2,
  ])
})

test('31: starts no second runner for a job whose task was lost, and ends the pod after the server has failed the job', async () => {
  const world = openGiteaWorld(['linux'])
  const { clock, emulator } = world
  const { control } = emulator
  await clock.advance(30_000)
  const [job = ''] = control.queueJobs([{ repository: 'acme/app', name: 'build', labels: ['linux'] }])
  await clock.advance(30_000)
  const [name = ''] = podNames(world)
  start(world, name)
  control.stub.online(name)
  // The server has given the job away, and nobody reports about it.
  control.stub.vanish(name)
  for (let minutes = 0; minutes < 13; minutes++) {
    await clock.advance(60_000)
    expect(podNames(world)).toEqual([name])
  }
  const shown = { id: job, name: 'build', repository: 'acme/app', runner: name }
  expect(status(world)).toMatchObject({ busy: 1, idle: 0, pending: 0, jobs: [{ ...shown, result: null }] })
  await clock.advance(15 * 60_000)
  confirmDeletions(world)
  expect(status(world)).toMatchObject({ busy: 0, jobs: [{ ...shown, result: 'failed' }] })
  expect([podNames(world), events(world, 'pod-created').length]).toEqual([[], 1])
  expect(events(world, 'runner-failed')[0]?.failure.message).toBe('its container still runs 600 s after its job')
})
