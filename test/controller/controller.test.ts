import type { StoredObject } from '@dayfly/cluster/store/object'
import { timestamp } from '@dayfly/kit/timestamp'
import { describe, expect, it } from 'vitest'
import {
  confirmDeletions,
  end,
  events,
  namespace,
  openStage,
  origin,
  podNames,
  pods,
  queue,
  run,
  runnerSetObject,
  type Stage,
  schedule,
  secrets,
  setStatus,
  status,
  succeeded,
  takeJob,
} from './stage.ts'

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  return openStage(options)
}

const seconds = (count: number) => count * 1_000
const registered = (stage: Stage) => stage.emulator.control.registrations().map(({ name }) => name)
const only = (stage: Stage): string => {
  const names = podNames(stage)
  expect(names).toHaveLength(1)
  return names[0] ?? ''
}
const deregistrations = (stage: Stage) =>
  stage.emulator.control.requests().filter(({ method, path }) => method === 'DELETE' && path.includes('/agents/'))
const ready = (stage: Stage, set?: string) => status(stage, set).conditions?.find(({ type }) => type === 'Ready')

/** Gives the set a spec that no release of the definition accepts. Returns the set before. */
function makeUnreadable({ registry }: Stage): StoredObject | undefined {
  const crd = registry.get('customresourcedefinitions.apiextensions.k8s.io', undefined, 'runnersets.dayfly.dev')
  const spec = crd?.['spec'] as { readonly versions: readonly object[] }
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const versions = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: anything } }))
  registry.update('customresourcedefinitions.apiextensions.k8s.io', { ...crd, spec: { ...spec, versions } })
  const set = registry.get('runnersets.dayfly.dev', namespace, 'linux')
  registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set?.['spec'] as object), scale: 'many' } })
  return set
}

describe('a runner’s life', () => {
  it('begins with one pod, one Secret and one registration of the same name for each job', async () => {
    const stage = await open()
    queue(stage, 3)
    await stage.clock.advance(1_000)
    expect(podNames(stage)).toHaveLength(3)
    expect(secrets(stage)).toEqual(podNames(stage))
    expect(registered(stage).sort()).toEqual(podNames(stage))
    await stage.clock.advance(1_000)
    expect(status(stage)).toMatchObject({ demand: 3, pending: 3, busy: 0, idle: 0 })
    expect(ready(stage)).toMatchObject({ status: 'Unknown', reason: 'Starting' })
    await takeJob(stage, podNames(stage)[0] ?? '')
    await stage.clock.advance(1_000)
    expect(ready(stage)).toMatchObject({ status: 'True' })
  })

  it('case 84: ends after its job without a deregistration, and takes its Secret along', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    await takeJob(stage, name)
    await stage.clock.advance(1_000)
    expect(status(stage)).toMatchObject({ busy: 1 })
    stage.emulator.control.stub.finish(name, succeeded)
    end(stage, name)
    await stage.clock.advance(seconds(30))
    expect([podNames(stage), secrets(stage), registered(stage)]).toEqual([[], [], []])
    expect(deregistrations(stage)).toEqual([])
    expect(events(stage, 'runner-failed')).toEqual([])
    expect(stage.requestLog.writes('dayfly', 'pods')).toBe(3)
    expect(stage.requestLog.writes('dayfly', 'secrets')).toBe(2)
  })

  it('case 85: without a job, is deregistered, counted as an early exit and replaced under a new name', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    schedule(stage, name)
    run(stage, name)
    await stage.clock.advance(500)
    end(stage, name)
    await stage.clock.advance(seconds(6))
    expect(deregistrations(stage)).toHaveLength(1)
    expect(events(stage, 'runner-failed').map(({ runner, failure }) => [runner, failure.reason])).toEqual([
      [name, 'runner-failed'],
    ])
    await stage.clock.advance(seconds(60))
    expect(only(stage)).not.toBe(name)
  })

  it('case 87: killed with its job, is deregistered when a list shows that the forge has given it up, and not tried before', async () => {
    const stage = await open({ spec: { keepFailed: '0s' } })
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    await takeJob(stage, name)
    stage.emulator.control.stub.vanish(name)
    end(stage, name, 137)
    await stage.clock.advance(seconds(300))
    expect(podNames(stage)).toEqual([])
    expect(registered(stage)).toEqual([name])
    expect(deregistrations(stage)).toEqual([])
    await stage.clock.advance(seconds(420))
    // The emulator drops a lost registration when its lease is over, as GitHub does.
    expect([registered(stage), deregistrations(stage)]).toEqual([[], []])
    expect(events(stage, 'runner-failed')[0]).toMatchObject({ runner: name, failure: { reason: 'runner-failed' } })
  })

  it('case 89: without a registration and a job for more than two minutes, ends as a ghost', async () => {
    const stage = await open({ spec: { scale: { min: 2, max: 10 } } })
    await stage.clock.advance(1_000)
    for (const name of podNames(stage)) {
      schedule(stage, name)
      run(stage, name)
      stage.emulator.control.stub.online(name)
    }
    await stage.clock.advance(seconds(65))
    const [ghost, other] = podNames(stage)
    const found = stage.emulator.control.registrations().find(({ name }) => name === ghost)
    const connection = stage.emulator.control.requests().length
    expect(connection).toBeGreaterThan(0)
    await stage.emulator.handler(restDelete(`/api/v3/orgs/acme/actions/runners/${found?.id}`))
    await stage.clock.advance(seconds(110))
    expect(podNames(stage)).toContain(ghost)
    await stage.clock.advance(seconds(150))
    expect(pods(stage).find(({ metadata }) => metadata.name === ghost)?.metadata.deletionTimestamp).toBeDefined()
    expect(pods(stage).find(({ metadata }) => metadata.name === other)?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('case 90: goes on when the forge reports its job as completed while it runs', async () => {
    const stage = await open()
    const [job] = queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    await takeJob(stage, name)
    expect(stage.emulator.control.announceCompleted(job?.id ?? '')).toBe(true)
    await stage.clock.advance(seconds(300))
    const pod = pods(stage).find(({ metadata }) => metadata.name === name)
    expect(pod).toBeDefined()
    expect(pod?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('case 72: is ended as surplus only after a quiet period, deregistered before its pod is deleted', async () => {
    const stage = await open()
    const jobs = queue(stage, 2)
    await stage.clock.advance(1_000)
    for (const name of podNames(stage)) schedule(stage, name)
    for (const { id } of jobs) stage.emulator.control.cancel(id)
    await stage.clock.advance(seconds(50))
    expect(podNames(stage)).toHaveLength(2)
    expect(deregistrations(stage)).toEqual([])
    const before = new Map(pods(stage).map(({ metadata }) => [metadata.name, metadata.deletionTimestamp]))
    expect([...before.values()]).toEqual([undefined, undefined])
    await stage.clock.advance(seconds(15))
    expect(deregistrations(stage)).toHaveLength(2)
    expect(registered(stage)).toEqual([])
    expect(pods(stage).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true)
    confirmDeletions(stage)
    await stage.clock.advance(seconds(5))
    expect([podNames(stage), secrets(stage)]).toEqual([[], []])
    expect(events(stage, 'runner-failed')).toEqual([])
  })

  it('case 77: keeps its credential in its Secret alone', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    const held = stage.registry.get('secrets', namespace, name)?.['data'] as { readonly credential: string }
    const credential = Buffer.from(held.credential, 'base64').toString()
    expect(credential.length).toBeGreaterThan(100)
    await takeJob(stage, name)
    stage.emulator.control.stub.vanish(name)
    end(stage, name, 1)
    await stage.clock.advance(seconds(5))
    const shown = JSON.stringify([
      stage.entries,
      status(stage),
      stage.registry.list('events', namespace),
      stage.registry.list('pods', namespace),
      stage.requestLog.recent(),
    ])
    for (const secret of [credential, held.credential]) expect(shown).not.toContain(secret.slice(0, 60))
  })

  it('is reported as a failure when its pod vanishes, and its job does not run again while it is assigned', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    await takeJob(stage, name)
    stage.emulator.control.stub.vanish(name)
    stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
    for (let waited = 0; waited < 120 && events(stage, 'runner-failed').length === 0; waited += 5) {
      await stage.clock.advance(seconds(5))
    }
    expect(events(stage, 'runner-failed')[0]).toMatchObject({ runner: name, failure: { reason: 'pod-vanished' } })
    expect(status(stage)).toMatchObject({ lastReason: 'pod-vanished' })
    await stage.clock.advance(seconds(120))
    expect(podNames(stage)).toEqual([])
    expect(status(stage), 'a minute later nothing is wrong any more').not.toHaveProperty('lastReason')
  })
})

describe('a start that cannot work', () => {
  const badTemplate = {
    template: { spec: { containers: [{ name: 'runner', volumeMounts: [{ name: 'nope', mountPath: '/x' }] }] } },
  }

  it('is shown on the set when the API server refuses the template, before anything is registered', async () => {
    const stage = await open({ spec: badTemplate })
    queue(stage, 2)
    await stage.clock.advance(1_000)
    expect(status(stage)).toMatchObject({ lastReason: 'template-invalid', pending: 0 })
    expect(status(stage)['lastMessage']).toContain('volumeMounts')
    expect(ready(stage)).toMatchObject({ status: 'False', reason: 'TemplateInvalid' })
    expect([registered(stage), podNames(stage)]).toEqual([[], []])
    const [event] = stage.registry.list('events', namespace)
    expect(event).toMatchObject({ type: 'Warning', reason: 'TemplateInvalid' })
  })

  it.each([
    ['at the same account', `${origin}/acme`],
    ['at the same account with a slash', `${origin}/acme/`],
  ])('names the other RunnerSet of its name %s, and advises to delete nothing', async (_where, url) => {
    const stage = await open()
    stage.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } })
    const secret = stage.registry.get('secrets', namespace, 'github')
    const metadata = { name: 'linux', namespace: 'team-b' }
    stage.registry.create('secrets', { ...secret, metadata: { name: 'github', namespace: 'team-b' } })
    const second = runnerSetObject('linux', { github: { url, credentials: { secret: 'github' } } })
    stage.registry.create('runnersets.dayfly.dev', { ...second, metadata })
    await stage.clock.advance(5_000)
    const shown = stage.registry.get('runnersets.dayfly.dev', 'team-b', 'linux')?.['status']
    expect(shown).toMatchObject({ lastReason: 'set-name-taken', lastMessage: 'RunnerSet ci/linux uses it' })
    expect(JSON.stringify(shown)).not.toMatch(/delete/i)
    expect(status(stage)['lastReason']).toBeUndefined()
  })

  it('works as soon as the template is corrected', async () => {
    const stage = await open({ spec: badTemplate })
    queue(stage, 2)
    await stage.clock.advance(1_000)
    const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    stage.registry.update('runnersets.dayfly.dev', { ...set, spec: runnerSetObject('linux').spec })
    await stage.clock.advance(1_000)
    expect(podNames(stage)).toHaveLength(2)
  })

  it.each([
    [
      'unschedulable',
      301,
      {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' },
        ],
      },
    ],
    ['image-missing', 31, waiting('ImagePullBackOff', 'Back-off pulling image')],
    ['image-invalid', 1, waiting('InvalidImageName', 'couldn’t parse image name')],
    ['config-missing', 6, waiting('CreateContainerConfigError', 'configmap "x" not found')],
  ])('%s is shown within seconds and ended at its deadline', async (reason, deadline, podStatus) => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    if (reason !== 'unschedulable') schedule(stage, name)
    setStatus(stage, name, { phase: 'Pending', ...podStatus })
    await stage.clock.advance(seconds(deadline))
    confirmDeletions(stage)
    await stage.clock.advance(1_500)
    expect(podNames(stage)).not.toContain(name)
    expect(status(stage)).toMatchObject({ lastReason: reason })
    expect(events(stage, 'runner-failed')[0]).toMatchObject({ runner: name, failure: { reason } })
  })

  it.each([
    ['volume-failed', 'FailedMount', 'MountVolume.SetUp failed for volume "x"'],
    ['sandbox-failed', 'FailedCreatePodSandBox', 'Failed to create pod sandbox'],
  ])('%s is looked up in the events and shown before 45 s', async (reason, eventReason, message) => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    schedule(stage, name)
    writeEvent(stage, name, eventReason, message)
    await stage.clock.advance(seconds(20))
    expect(status(stage)).toMatchObject({ lastReason: reason, lastMessage: message })
    expect(podNames(stage)).toContain(name)
    await stage.clock.advance(seconds(110))
    confirmDeletions(stage)
    await stage.clock.advance(seconds(2))
    expect(podNames(stage)).not.toContain(name)
  })

  it('never-online is shown when a runner runs and stays offline for two minutes', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    const name = only(stage)
    schedule(stage, name)
    run(stage, name)
    await stage.clock.advance(seconds(250))
    expect(events(stage, 'runner-failed')[0]).toMatchObject({ runner: name, failure: { reason: 'never-online' } })
  })
})

describe('when the forge or a controller fails', () => {
  it('starts and ends nothing while the forge does not answer, and says so', async () => {
    const stage = await open()
    queue(stage, 2)
    await stage.clock.advance(1_000)
    const names = podNames(stage)
    const fault = stage.emulator.control.fault({
      match: { pathRegex: '.*' },
      times: 1_000_000,
      action: { kind: 'answer', status: 503, text: 'down' },
    })
    stage.emulator.control.knobs({ longPollMs: 200 })
    await stage.clock.advance(seconds(150))
    expect(podNames(stage)).toEqual(names)
    expect(status(stage)).toMatchObject({ lastReason: 'forge-unreachable' })
    stage.emulator.control.removeFault(fault)
    await stage.clock.advance(seconds(90))
    expect(ready(stage)).toMatchObject({ status: 'Unknown', reason: 'Starting' })
  })

  it('a new leader finds every runner again and starts none twice', async () => {
    const stage = await open()
    queue(stage, 3)
    await stage.clock.advance(1_000)
    const names = podNames(stage)
    const [first = ''] = names
    await takeJob(stage, first)
    const stopping = stage.controller.stop()
    await stage.clock.advance(seconds(2))
    await stopping
    const successor = stage.start('controller-2')
    await stage.clock.advance(seconds(20))
    expect(podNames(stage)).toEqual(names)
    stage.emulator.control.stub.finish(first, succeeded)
    end(stage, first)
    await stage.clock.advance(seconds(10))
    expect(podNames(stage)).toEqual(names.filter((name) => name !== first))
    const over = successor.stop()
    await stage.clock.advance(seconds(60))
    await over
  })

  it('a standby that saw a set before the leader stored its ids takes it over with them', async () => {
    const stage = await open()
    const standby = stage.start('controller-2')
    await stage.clock.advance(seconds(5))
    stage.registry.create('runnersets.dayfly.dev', runnerSetObject('later'))
    await stage.clock.advance(seconds(10))
    expect(status(stage, 'later')).toMatchObject({ forge: { scaleSetId: expect.any(String) } })
    const stopping = stage.controller.stop()
    await stage.clock.advance(seconds(60))
    await stopping
    expect(events(stage, 'leadership-gained').map(({ identity }) => identity)).toContain('controller-2')
    expect(ready(stage, 'later')).toMatchObject({ status: 'True' })
    expect(status(stage, 'later').lastReason).toBeUndefined()
    const over = standby.stop()
    await stage.clock.advance(seconds(60))
    await over
  })

  it('a second controller waits for the lease and does nothing', async () => {
    const stage = await open()
    const standby = stage.start('controller-2')
    queue(stage, 2)
    await stage.clock.advance(seconds(20))
    expect(podNames(stage)).toHaveLength(2)
    expect(events(stage, 'leadership-gained').map(({ identity }) => identity)).toEqual(['controller-1'])
    const over = standby.stop()
    await stage.clock.advance(seconds(60))
    await over
  })

  it('removes the scale set of a set that it cannot read any more, once the set is deleted', async () => {
    const stage = await open()
    await stage.clock.advance(seconds(5))
    makeUnreadable(stage)
    await stage.clock.advance(seconds(60))
    stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
    await stage.clock.advance(seconds(60))
    expect(events(stage, 'set-invalid')).toHaveLength(1)
    expect(events(stage, 'records-removed')).toHaveLength(1)
  })

  it('removes that scale set at once, also if another owner holds the object with a finalizer', async () => {
    const stage = await open()
    await stage.clock.advance(seconds(5))
    makeUnreadable(stage)
    const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    const metadata = { ...set?.metadata, finalizers: ['example.com/hold'] }
    stage.registry.update('runnersets.dayfly.dev', { ...set, metadata })
    await stage.clock.advance(seconds(60))
    stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
    await stage.clock.advance(seconds(60))
    expect(stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')).toBeDefined()
    expect(events(stage, 'records-removed')).toHaveLength(1)
  })

  it('keeps the scale set of a set that it cannot read any more, and goes on when it can', async () => {
    const stage = await open()
    await stage.clock.advance(seconds(5))
    const set = makeUnreadable(stage)
    await stage.clock.advance(seconds(60))
    expect(events(stage, 'set-invalid')).toHaveLength(1)
    const removed = stage.emulator.control.requests().filter(({ method }) => method === 'DELETE')
    expect(removed.filter(({ path }) => /runnerscalesets\/\d+$/.test(path))).toEqual([])
    const broken = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    stage.registry.update('runnersets.dayfly.dev', { ...broken, spec: set?.['spec'] })
    queue(stage, 1)
    await stage.clock.advance(seconds(60))
    expect(podNames(stage)).toHaveLength(1)
  })

  it('removes what the forge remembers when the set is deleted', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(1_000)
    stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
    await stage.clock.advance(seconds(35))
    const deleted = stage.emulator.control
      .requests()
      .filter(({ method, path }) => method === 'DELETE' && /sessions\//.test(path))
    expect(deleted.length).toBeGreaterThanOrEqual(1)
    expect(events(stage, 'set-removed')).toHaveLength(1)
  })
})

function waiting(reason: string, message: string) {
  const status = { name: 'runner', image: 'x', imageID: '', ready: false, restartCount: 0 }
  return { containerStatuses: [{ ...status, state: { waiting: { reason, message } } }] }
}

function restDelete(path: string) {
  return {
    method: 'DELETE',
    path,
    query: {},
    headers: { authorization: 'Bearer token' },
    body: { kind: 'none' },
    expect: 'whole',
  } as const
}

function writeEvent(stage: Stage, pod: string, reason: string, message: string): void {
  const at = timestamp(stage.clock.now())
  const uid = stage.registry.get('pods', namespace, pod)?.metadata.uid
  stage.registry.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${pod}.1`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name: pod, uid },
    reason,
    message,
    type: 'Warning',
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  })
}
