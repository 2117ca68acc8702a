// The end of a runner's version: from GitHub's answer to the status, the journal and the Events of the set, over virtual days.
import { timestamp } from '@dayfly/kit/timestamp'
import { expect, it } from 'vitest'
import { end, events, namespace, openStage, podNames, queue, run, type Stage, schedule, status } from './stage.ts'

const hour = 3_600_000
const day = 24 * hour
const quarter = hour / 4
const seconds = (count: number) => count * 1_000
const version = '2.330.0'
const condition = (stage: Stage, type = 'RunnerVersionSupported') =>
  status(stage).conditions?.find((one) => one.type === type)
const asked = (stage: Stage) =>
  stage.emulator.control.requests().filter(({ path }) => path.includes('/deprecations/')).length
const notes = (stage: Stage) =>
  stage.registry.list('events', namespace).map((event) => (event as unknown as { reason: string }).reason)

const tagged = {
  template: { spec: { containers: [{ name: 'runner', image: `mirror.corp/actions-runner:${version}` }] } },
}

async function open(spec: object, runtimeMs: number) {
  const stage = await openStage({ forgeMs: 150, apiMs: 50, spec })
  const runtime = timestamp(stage.clock.now() + runtimeMs)
  stage.emulator.control.knobs({ versionEnds: { [version]: { runtime, registration: null } } })
  return { stage, runtime }
}

/** Every runner of the set connects with the version. */
async function connect(stage: Stage): Promise<void> {
  for (const name of podNames(stage)) {
    schedule(stage, name)
    run(stage, name)
    stage.emulator.control.stub.online(name, version)
  }
  await stage.clock.advance(seconds(75))
}

it('is announced 14 days before, and again 7 days before, without a fault of the set', async () => {
  const { stage, runtime } = await open(tagged, 7 * day + quarter)
  await stage.clock.advance(seconds(60))
  expect(condition(stage)).toMatchObject({ status: 'True', reason: 'EndsWithin14Days' })
  await stage.clock.advance(quarter)
  expect(condition(stage)).toMatchObject({ status: 'True', reason: 'EndsWithin7Days' })
  expect(status(stage)).toMatchObject({
    runnerVersion: { version, from: 'image', runtimeEndsAt: runtime },
    problems: [{ kind: 'version', reason: 'runner-version-ends', detail: expect.stringContaining(runtime) }],
  })
  expect(status(stage)['lastReason']).toBeUndefined()
  expect([condition(stage, 'Ready'), condition(stage, 'Degraded')]).toMatchObject([
    { status: 'True' },
    { status: 'False' },
  ])
  expect(events(stage, 'runner-version-ends')).toHaveLength(2)
  expect(notes(stage)).toContain('RunnerVersionEnds')
})

it('is runner-outdated with its time from then on', async () => {
  const { stage, runtime } = await open(tagged, quarter)
  await stage.clock.advance(quarter + seconds(5))
  expect(condition(stage)).toMatchObject({ status: 'False', reason: 'RunnerOutdated' })
  expect(condition(stage, 'Degraded')).toMatchObject({ status: 'True', reason: 'RunnerOutdated' })
  expect(status(stage)).toMatchObject({ lastReason: 'runner-outdated', lastMessage: expect.stringContaining(runtime) })
  const reasons = events(stage, 'runner-version-ends').map(({ failure }) => failure.reason)
  expect(reasons).toEqual(['runner-version-ends', 'runner-outdated'])
  expect(notes(stage)).toContain('RunnerOutdated')
  expect(asked(stage)).toBe(1)
})

it('learns from the runners what a floating tag hides, and a new leader keeps it', async () => {
  const { stage, runtime } = await open({ scale: { min: 1, max: 2 } }, 10 * day)
  await stage.clock.advance(seconds(10))
  expect(condition(stage)).toMatchObject({ status: 'Unknown', reason: 'VersionUnknown' })
  expect(asked(stage)).toBe(0)
  await connect(stage)
  await stage.clock.advance(seconds(60))
  expect(status(stage)).toMatchObject({ runnerVersion: { version, from: 'runner', runtimeEndsAt: runtime } })
  const refuse = { match: { pathRegex: '/deprecations/' }, times: 1_000 } as const
  stage.emulator.control.fault({ ...refuse, action: { kind: 'answer', status: 403, body: { message: 'no' } } })
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(60))
  await stopping
  stage.controller = stage.start('controller-2')
  await stage.clock.advance(seconds(180))
  expect(condition(stage)).toMatchObject({ status: 'True', reason: 'EndsWithin14Days' })
  expect(status(stage)).toMatchObject({ runnerVersion: { version, runtimeEndsAt: runtime } })
  expect(events(stage, 'runner-version-ends')).toHaveLength(1)
})

it('forgets the version when the image changes to one that names none', async () => {
  const { stage } = await open(tagged, 3 * day)
  await stage.clock.advance(seconds(60))
  expect(condition(stage)?.reason).toBe('EndsWithin7Days')
  const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
  const template = { spec: { containers: [{ name: 'runner', image: 'ghcr.io/acme/runner@sha256:00' }] } }
  stage.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set?.['spec'] as object), template } })
  await stage.clock.advance(seconds(60))
  expect(condition(stage)).toMatchObject({ status: 'Unknown', reason: 'VersionUnknown' })
  expect(status(stage)['runnerVersion']).toBeUndefined()
  expect(status(stage)['problems']).toEqual([])
})

it.each([
  ['ended', -hour, 'runner-outdated'],
  ['good', 90 * day, 'forge-assigns-nothing'],
])('online runners of a version that is %s get no job: %s', async (_title, runtimeMs, reason) => {
  const { stage } = await open({ scale: { min: 0, max: 5 } }, runtimeMs)
  const { control } = stage.emulator
  control.knobs({ endedVersions: 'silent' })
  queue(stage, 2)
  await stage.clock.advance(seconds(5))
  // A runner of a good version gets no job either while the forge fails to give it out.
  if (runtimeMs > 0) control.knobs({ minimumVersion: '9.0.0' })
  await connect(stage)
  await stage.clock.advance(10 * 60_000)
  expect(control.registrations().map(({ online, busy }) => [online, busy])).toEqual([
    [true, false],
    [true, false],
  ])
  await stage.clock.advance(60_000)
  expect(status(stage)).toMatchObject({ lastReason: reason, lastMessage: expect.stringContaining('2 jobs wait') })
  expect(events(stage, 'forge-failed')).toMatchObject([{ failure: { reason } }])
})

it('exit code 7 is runner-outdated, also for a version that is not known', async () => {
  const { stage } = await open({}, -hour)
  queue(stage, 1)
  await stage.clock.advance(seconds(5))
  const [name = ''] = podNames(stage)
  schedule(stage, name)
  run(stage, name)
  await stage.clock.advance(seconds(2))
  end(stage, name, 7)
  await stage.clock.advance(seconds(5))
  expect(condition(stage)?.reason).toBe('VersionUnknown')
  expect(status(stage)).toMatchObject({ lastReason: 'runner-outdated' })
})
