// Sets of two clusters serve one label of GitHub. A job goes where the cluster has room, because each set announces no more than that.
import { expect, it } from 'vitest'
import { Kubelet } from './kubelet.ts'
import { openStage, origin, podNames, queue, secrets, status } from './stage.ts'

const seconds = (count: number) => count * 1_000

type World = Awaited<ReturnType<typeof open>>

/** Cluster east has room for three pods, and west for as many as its set may have. */
async function open(killed: ReadonlySet<string> = new Set()) {
  const github = { url: `${origin}/acme`, credentials: { secret: 'github' }, labels: ['linux'] }
  const options = { forgeMs: 150, apiMs: 50, spec: { github } }
  const east = await openStage({ ...options, set: 'east', quota: { pods: '3' } })
  const west = await openStage({ ...options, set: 'west', seed: 2, beside: east, killed })
  const kubelets = { east: new Kubelet(east, 'east'), west: new Kubelet(west, 'west') }
  await east.clock.advance(seconds(5))
  return { east, west, kubelets }
}

async function runAll({ east, kubelets }: World, jobs: number, each?: () => void): Promise<void> {
  const until = east.clock.now() + seconds(900)
  const ended = () => kubelets.east.ended.size + kubelets.west.ended.size
  while (ended() < jobs && east.clock.now() < until) {
    await kubelets.east.work()
    await kubelets.west.work()
    each?.()
    await east.clock.advance(100)
  }
  expect(ended()).toBe(jobs)
}

/** Each job ran once and well, and nothing of its runner is left. */
async function expectAllOnce({ east, west, kubelets }: World, ids: readonly string[]): Promise<void> {
  for (let waited = 0; waited < 60; waited++) {
    await kubelets.east.work()
    await kubelets.west.work()
    await east.clock.advance(seconds(1))
  }
  const jobs = ids.map((id) => east.emulator.control.job(id))
  expect(jobs.map((job) => [job?.state, job?.result, job?.attempt])).toEqual(
    ids.map(() => ['completed', 'succeeded', 1]),
  )
  expect([...podNames(east), ...podNames(west), ...secrets(east), ...secrets(west)]).toEqual([])
  expect(east.emulator.control.registrations()).toEqual([])
}

it('a full cluster announces what its quota allows, registers no runner beyond, and another one takes the rest', async () => {
  const world = await open()
  const { east, west, kubelets } = world
  expect(status(east, 'east')).toMatchObject({ announced: 3, announcedReason: 'quota' })
  expect(status(west, 'west')).toMatchObject({ announced: 10 })
  const ids = queue(east, 10).map(({ id }) => id)
  await runAll(world, 10)
  expect([kubelets.east.ended.size, kubelets.west.ended.size]).toEqual([3, 7])
  expect(kubelets.east.most).toBe(3)
  const requests = east.emulator.control.requests()
  expect(requests.filter(({ path }) => path.endsWith('generatejitconfig'))).toHaveLength(10)
  await expectAllOnce(world, ids)
})

it('a cluster whose controller is killed takes its jobs up again, and no job is lost or runs twice', async () => {
  const killed = new Set<string>()
  const world = await open(killed)
  const { east, west } = world
  const ids = queue(east, 30).map(({ id }) => id)
  let restartAt = Number.POSITIVE_INFINITY
  await runAll(world, 30, () => {
    if (killed.size === 0 && podNames(west).length > 3) {
      killed.add('controller-1')
      restartAt = east.clock.now() + seconds(20)
    }
    if (east.clock.now() < restartAt) return
    restartAt = Number.POSITIVE_INFINITY
    west.controller = west.start('controller-2')
  })
  expect(world.kubelets.east.most).toBe(3)
  await expectAllOnce(world, ids)
})
