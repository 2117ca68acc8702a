// The last status of a set when its controller stops: a counter lives nowhere else.
import type { Request } from '@dayfly/kit/http'
import { afterEach, describe, expect, it } from 'vitest'
import { end, events, openStage, podNames, queue, type Stage, status, succeeded, takeJob } from './stage.ts'

/** Whether the API server refuses to write a status. */
let refuses = false

afterEach(async () => {
  refuses = false
})

const isStatusWrite = ({ method, path }: Request) => method === 'PATCH' && path.endsWith('/runnersets/linux/status')

/** Opens a set whose only job ends just after its status was written, so that the next report has to wait. */
async function jobEndsAfterReport(): Promise<Stage> {
  const stage = await openStage({
    forgeMs: 50,
    apiMs: 50,
    apiFault: (request) =>
      refuses && isStatusWrite(request)
        ? { status: 403, headers: {}, body: { kind: 'json', value: { kind: 'Status', code: 403, message: 'no' } } }
        : undefined,
  })
  queue(stage, 1)
  await stage.clock.advance(2_000)
  const [name = ''] = podNames(stage)
  await takeJob(stage, name)
  for (let waited = 0; waited < 5_000 && status(stage)['busy'] !== 1; waited += 50) await stage.clock.advance(50)
  expect(status(stage)).toMatchObject({ busy: 1 })
  stage.emulator.control.stub.finish(name, succeeded)
  end(stage, name)
  await stage.clock.advance(500)
  expect(status(stage)).toMatchObject({ busy: 1 })
  expect(events(stage, 'job-finished')).toHaveLength(1)
  return stage
}

async function stopped(stage: Stage): Promise<void> {
  const stopping = stage.controller.stop()
  await stage.clock.advance(5_000)
  await stopping
}

describe('a controller that stops', () => {
  it('writes the end of a job that the status does not show yet', async () => {
    const stage = await jobEndsAfterReport()
    await stopped(stage)
    expect(status(stage)).toMatchObject({ jobs: [{ result: 'succeeded' }] })
  })

  it('writes nothing when the status shows everything', async () => {
    const stage = await jobEndsAfterReport()
    await stage.clock.advance(60_000)
    const before = stage.registry.get('runnersets.dayfly.dev', 'ci', 'linux')?.metadata.resourceVersion
    await stopped(stage)
    expect(stage.registry.get('runnersets.dayfly.dev', 'ci', 'linux')?.metadata.resourceVersion).toBe(before)
  })

  it('ends, and says what it could not write, when the API server refuses it', async () => {
    const stage = await jobEndsAfterReport()
    refuses = true
    await stopped(stage)
    expect(events(stage, 'write-failed').map(({ action }) => action)).toContain('report')
    expect(events(stage, 'controller-stopped')).toHaveLength(1)
  })

  it('says nothing of a set that was deleted a moment before', async () => {
    const stage = await jobEndsAfterReport()
    const stopping = stage.controller.stop()
    stage.registry.delete('runnersets.dayfly.dev', 'ci', 'linux')
    await stage.clock.advance(5_000)
    await stopping
    expect(events(stage, 'write-failed')).toEqual([])
    expect(events(stage, 'controller-stopped')).toHaveLength(1)
  })

  it('leaves the status to the next leader when it has lost the Lease', async () => {
    const stage = await jobEndsAfterReport()
    const lease = stage.registry.get('leases.coordination.k8s.io', 'ci', 'dayfly')
    const spec = { ...(lease?.['spec'] as object), holderIdentity: 'another' }
    stage.registry.update('leases.coordination.k8s.io', { ...lease, spec })
    const before = stage.registry.get('runnersets.dayfly.dev', 'ci', 'linux')?.metadata.resourceVersion
    refuses = true
    await stage.clock.advance(8_000)
    refuses = false
    expect(events(stage, 'leadership-lost')).toHaveLength(1)
    await stopped(stage)
    expect(stage.registry.get('runnersets.dayfly.dev', 'ci', 'linux')?.metadata.resourceVersion).toBe(before)
  })
})
