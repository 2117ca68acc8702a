// A job whose labels no set of an emulated Gitea has reaches one status.
import { expect, test } from 'vitest'
import { openGiteaWorld } from './gitea-world.ts'
import { status } from './stage.ts'

test('a job that no set can have is in the status of the first set within 45 s, until a set has its labels', async () => {
  const world = openGiteaWorld(['linux', 'arm'])
  await world.clock.advance(60_000)
  world.emulator.control.queueJobs([{ repository: 'acme/app', name: 'build', labels: ['windows'] }])
  await world.clock.advance(45_000)
  expect(status(world, 'arm')['unserved']).toEqual({
    count: 1,
    jobs: [{ id: '1', name: 'build', repository: 'acme/app', labels: ['windows'] }],
  })
  expect(status(world, 'linux')['unserved']).toBeUndefined()
  const writes = world.statusWrites()
  expect(writes).toBeGreaterThan(0)
  await world.clock.advance(300_000)
  expect(world.statusWrites()).toBe(writes)
  world.addSet('windows')
  await world.clock.advance(45_000)
  expect([status(world, 'arm')['unserved'], status(world, 'windows')['unserved']]).toEqual([undefined, undefined])
})
