// The control and the knobs change the jobs of stub runners: slow calls for a task, concurrency groups, a deleted registration.
import { expect, test } from 'vitest'
import { testServer } from './test-client.fixture.ts'

test.each([
  { afterMs: 900, takes: true },
  { afterMs: 1_000, takes: false },
])('a runner asks $afterMs ms after its cordon, where a call takes up to 1 s: takes the job $takes', async (row) => {
  const { clock, emulator, rest, register } = testServer({ knobs: { pickUpMs: row.afterMs, fetchMs: 1_000 } })
  const { control } = emulator
  const { id, uuid } = await register('/orgs/acme', 'one')
  control.stub.online(uuid)
  control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  expect((await rest('PATCH', `/orgs/acme/actions/runners/${id}`, { disabled: true })).status).toBe(200)
  await clock.advance(row.afterMs)
  expect(control.runner(uuid)?.job).toBe(row.takes ? '1' : undefined)
})

test('a job waits for the running one of its group, and a later one replaces it', async () => {
  const { clock, emulator, register } = testServer({ knobs: { pickUpMs: 0 } })
  const { control } = emulator
  const { uuid } = await register('/orgs/acme', 'one')
  control.stub.online(uuid)
  const spec = { repository: 'acme/app', labels: ['linux'], durationMs: 1_000, group: 'deploy' }
  control.queueJobs([spec])
  control.queueJobs([spec, spec])
  const statuses = () => ['1', '2', '3'].map((id) => control.job(id)?.status)
  expect(statuses()).toEqual(['running', 'cancelled', 'blocked'])
  await clock.advance(1_000)
  expect(statuses()).toEqual(['success', 'cancelled', 'waiting'])
})

test('a job hangs whose runner is deleted, until it is a zombie', async () => {
  const { clock, emulator, register } = testServer({ knobs: { pickUpMs: 0, zombieMs: 60_000 } })
  const { control } = emulator
  const { uuid } = await register('/orgs/acme', 'one')
  control.stub.online(uuid)
  const [id = ''] = control.queueJobs([{ repository: 'acme/app', labels: ['linux'], durationMs: 90_000 }])
  await clock.advance(7_000)
  expect(control.deleteRunner(uuid)).toBe(true)
  expect(control.stub.finish(uuid, 'success')).toBe(false)
  await clock.advance(292_000)
  expect(control.job(id)?.status).toBe('running')
  await clock.advance(1_000)
  expect(control.job(id)?.status).toBe('failure')
})
