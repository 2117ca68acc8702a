// The controller at real latency: scale-down, refusals, credential rotation and failing starts over virtual minutes.
import { isFull } from '@dayfly/kit/full.fixture'
import { timestamp } from '@dayfly/kit/timestamp'
import { describe, expect, it } from 'vitest'
import {
  confirmDeletions,
  end,
  events,
  namespace,
  openStage,
  podNames,
  pods,
  queue,
  run,
  type Stage,
  type StageOptions,
  schedule,
  setStatus,
  status,
  succeeded,
  takeJob,
} from './stage.ts'

async function open(options: StageOptions = {}): Promise<Stage> {
  return openStage({ forgeMs: 150, apiMs: 50, ...options })
}

const seconds = (count: number) => count * 1_000
const requests = (stage: Stage, method: string, path: RegExp) =>
  stage.emulator.control.requests().filter((request) => request.method === method && path.test(request.path))
const deregistrations = (stage: Stage) => requests(stage, 'DELETE', /\/agents\//)
const registrations = (stage: Stage) => requests(stage, 'POST', /generatejitconfig/)
const lists = (stage: Stage) => requests(stage, 'GET', /\/agents$/)
const condition = (stage: Stage, type: string) => status(stage).conditions?.find((one) => one.type === type)
const scale = (stage: Stage, change: object) => {
  const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
  const spec = set?.['spec'] as object
  stage.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...spec, scale: change } })
}
const idleRunners = async (stage: Stage): Promise<void> => {
  for (const name of podNames(stage)) {
    schedule(stage, name)
    run(stage, name)
    stage.emulator.control.stub.online(name)
  }
  await stage.clock.advance(seconds(75))
}
const living = (stage: Stage) => pods(stage).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** The other tests run at 150 ms. */
const latencies = isFull ? [50, 150, 300] : [50, 300]

describe.each(latencies)('scale-down at a forge latency of %i ms', (forgeMs) => {
  it('ends three of six idle runners when min falls from 6 to 3, and starts none', async () => {
    const stage = await open({ forgeMs, spec: { scale: { min: 6, max: 10 } } })
    await stage.clock.advance(seconds(3))
    expect(podNames(stage)).toHaveLength(6)
    await idleRunners(stage)
    const started = registrations(stage).length
    scale(stage, { min: 3, max: 10 })
    await stage.clock.advance(seconds(180))
    expect(deregistrations(stage)).toHaveLength(3)
    expect(living(stage)).toHaveLength(3)
    expect(registrations(stage)).toHaveLength(started)
  })

  it('ends two of four starting runners when demand falls from 4 to 2', async () => {
    const stage = await open({ forgeMs })
    const jobs = queue(stage, 4)
    await stage.clock.advance(seconds(3))
    expect(podNames(stage)).toHaveLength(4)
    for (const name of podNames(stage)) schedule(stage, name)
    for (const { id } of jobs.slice(0, 2)) stage.emulator.control.cancel(id)
    await stage.clock.advance(seconds(110))
    expect(deregistrations(stage)).toHaveLength(2)
    expect(living(stage)).toHaveLength(2)
    expect(registrations(stage)).toHaveLength(4)
  })
})

describe.each(latencies)('a paused set at a forge latency of %i ms', (forgeMs) => {
  const pause = (stage: Stage, paused: boolean) => {
    const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    stage.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set?.['spec'] as object), paused } })
  }

  it('removes idle runners within seconds, lets busy ones finish, and starts none', async () => {
    const stage = await open({ forgeMs, spec: { scale: { min: 3, max: 10 } } })
    await stage.clock.advance(seconds(3))
    await idleRunners(stage)
    const [name = ''] = podNames(stage)
    queue(stage, 1)
    await stage.clock.advance(seconds(3))
    stage.emulator.control.stub.start(name)
    await stage.clock.advance(seconds(2))
    pause(stage, true)
    await stage.clock.advance(seconds(10))
    queue(stage, 5)
    expect(living(stage).map(({ metadata }) => metadata.name)).toEqual([name])
    const started = registrations(stage).length
    await stage.clock.advance(seconds(600))
    expect(condition(stage, 'Ready')).toMatchObject({ status: 'True', reason: 'Paused' })
    expect(living(stage).map(({ metadata }) => metadata.name)).toEqual([name])
    stage.emulator.control.stub.finish(name, succeeded)
    end(stage, name)
    await stage.clock.advance(seconds(10))
    confirmDeletions(stage)
    await stage.clock.advance(seconds(120))
    expect(podNames(stage)).toEqual([])
    expect(registrations(stage)).toHaveLength(started)
    expect(stage.emulator.control.registrations()).toEqual([])
  })

  it('starts runners again when it goes on', async () => {
    const stage = await open({ forgeMs, spec: { paused: true } })
    queue(stage, 2)
    await stage.clock.advance(seconds(30))
    expect(podNames(stage)).toEqual([])
    pause(stage, false)
    await stage.clock.advance(seconds(10))
    expect(podNames(stage)).toHaveLength(2)
    expect(condition(stage, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Starting' })
  })

  it('removes idle runners when the forge is reachable again', async () => {
    const stage = await open({ forgeMs, spec: { scale: { min: 2, max: 10 } } })
    await stage.clock.advance(seconds(3))
    await idleRunners(stage)
    const outage = stage.emulator.control.fault({
      match: { pathRegex: '.' },
      times: 1_000_000,
      action: { kind: 'answer', status: 503, body: {} },
    })
    pause(stage, true)
    await stage.clock.advance(seconds(120))
    expect(living(stage)).toHaveLength(2)
    stage.emulator.control.removeFault(outage)
    await stage.clock.advance(seconds(180))
    expect(living(stage)).toHaveLength(0)
  })

  it('leaves nothing at the forge when it is deleted', async () => {
    const stage = await open({ forgeMs, spec: { scale: { min: 1, max: 10 } } })
    await stage.clock.advance(seconds(3))
    pause(stage, true)
    await stage.clock.advance(seconds(5))
    stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
    await stage.clock.advance(seconds(40))
    expect(requests(stage, 'DELETE', /runnerscalesets\/\d+$/)).toHaveLength(1)
  })
})

describe('a removal that the forge refuses', () => {
  const agentNotFound = {
    typeName: 'GitHub.DistributedTask.WebApi.TaskAgentNotFoundException',
    message: 'agent not found',
  }
  it.each([
    ['403', { status: 403, body: { message: 'Forbidden' } }, 25],
    ['an untyped 422', { status: 422, body: { message: 'Unprocessable' } }, 25],
    ['429 with Retry-After: 60', { status: 429, headers: { 'Retry-After': '60' }, body: {} }, 12],
    // The lists show the registration once a minute, which refutes the answer.
    ['404 AgentNotFound', { status: 404, body: agentNotFound }, 12],
  ])('%s is repeated slowly, and no other runner is chosen', async (_name, answer, most) => {
    const stage = await open({ spec: { scale: { min: 3, max: 10 } } })
    await stage.clock.advance(seconds(3))
    await idleRunners(stage)
    stage.emulator.control.fault({
      match: { method: 'DELETE', pathRegex: '/agents/' },
      times: 1_000_000,
      action: { kind: 'answer', ...answer },
    })
    scale(stage, { min: 2, max: 10 })
    await stage.clock.advance(seconds(600))
    const tries = deregistrations(stage)
    expect(tries.length).toBeGreaterThanOrEqual(1)
    expect(tries.length).toBeLessThanOrEqual(most)
    expect(new Set(tries.map(({ path }) => path)).size).toBe(1)
    expect(lists(stage).length).toBeLessThan(25)
  })
})

describe('the order of an end', () => {
  it('case 72: deregisters an idle runner before it deletes the Secret and the pod', async () => {
    const calls: string[] = []
    const stage = await open({
      spec: { scale: { min: 1, max: 10 } },
      apiFault: ({ method, path }) => {
        if (method === 'DELETE') calls.push(/\/(pods|secrets)\//.exec(path)?.[1] ?? path)
        return undefined
      },
    })
    await stage.clock.advance(seconds(3))
    await idleRunners(stage)
    const fault = stage.emulator.control.fault({
      match: { method: 'DELETE', pathRegex: '/agents/' },
      times: 1_000,
      action: { kind: 'answer', status: 503, text: 'down' },
    })
    scale(stage, { min: 0, max: 10 })
    await stage.clock.advance(seconds(120))
    expect(deregistrations(stage).length).toBeGreaterThan(0)
    expect(calls).toEqual([])
    stage.emulator.control.removeFault(fault)
    await stage.clock.advance(seconds(65))
    expect(calls).toEqual(['secrets', 'pods'])
  })

  it('case 85: waits longer before each replacement of a runner that leaves without a job', async () => {
    const stage = await open()
    queue(stage, 1)
    const begun: number[] = []
    for (let round = 0; round < 5; round++) {
      while (living(stage).length === 0) await stage.clock.advance(100)
      begun.push(stage.clock.now())
      const name = living(stage)[0]?.metadata.name ?? ''
      schedule(stage, name)
      run(stage, name)
      await stage.clock.advance(100)
      end(stage, name)
      await stage.clock.advance(seconds(8))
    }
    const gaps = begun.slice(1).map((at, index) => at - (begun[index] ?? 0))
    expect(Math.max(...gaps.slice(0, 1))).toBeLessThan(seconds(14))
    expect(Math.min(...gaps.slice(3))).toBeGreaterThan(seconds(14))
  })
})

it('a rotated credential is used within a minute after the Secret is corrected', async () => {
  const stage = await open()
  queue(stage, 1)
  const revoke = stage.emulator.control.fault({
    match: { pathRegex: '.*' },
    times: 1_000_000,
    action: { kind: 'answer', status: 401, body: { message: 'Bad credentials' } },
  })
  await stage.clock.advance(seconds(120))
  expect(status(stage)).toMatchObject({ lastReason: 'forge-unauthorized' })
  const secret = stage.registry.get('secrets', namespace, 'github')
  const token = Buffer.from('rotated').toString('base64')
  stage.registry.update('secrets', { ...secret, data: { github_token: token } })
  stage.emulator.control.removeFault(revoke)
  await stage.clock.advance(seconds(60))
  expect(condition(stage, 'ForgeConnected')).toMatchObject({ status: 'True' })
  expect(podNames(stage)).toHaveLength(1)
})

it('a healthy connection takes over a changed credential within a minute', async () => {
  const stage = await open()
  await stage.clock.advance(seconds(5))
  const secret = stage.registry.get('secrets', namespace, 'github')
  const token = Buffer.from('rotated').toString('base64')
  stage.registry.update('secrets', { ...secret, data: { github_token: token } })
  await stage.clock.advance(seconds(60))
  expect(events(stage, 'credential-changed')).toHaveLength(1)
  expect(condition(stage, 'Ready')).toMatchObject({ status: 'True' })
})

describe('case 93: a start that is held up', () => {
  const unschedulable = (stage: Stage) => ({
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/3 nodes are available',
        lastTransitionTime: timestamp(stage.clock.now()),
      },
    ],
  })

  it('is shown within 45 s with its count, its time and the scheduler’s sentence', async () => {
    const stage = await open()
    queue(stage, 3)
    await stage.clock.advance(seconds(3))
    for (const name of podNames(stage)) setStatus(stage, name, unschedulable(stage))
    await stage.clock.advance(seconds(42))
    const degraded = condition(stage, 'Degraded')
    expect(degraded).toMatchObject({ status: 'True', reason: 'Unschedulable' })
    expect(degraded?.message).toMatch(/3 runners are held up, the first since .*Z\. 0\/3 nodes are available/)
    expect(events(stage, 'runner-delayed')).toHaveLength(3)
    expect(stage.registry.list('events', namespace).map((event) => event['reason'])).toContain('Unschedulable')
  })

  it('is shown within 45 s also if nothing names a cause, and is over when the runners start', async () => {
    const stage = await open()
    queue(stage, 1)
    await stage.clock.advance(seconds(3))
    const [name = ''] = podNames(stage)
    schedule(stage, name)
    await stage.clock.advance(seconds(42))
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'True', reason: 'StartUnexplained' })
    run(stage, name)
    await stage.clock.advance(seconds(3))
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'False' })
  })
})

describe('a registry that is down', () => {
  const jobCounts = isFull ? [20, 100] : [100]
  const backOff = {
    containerStatuses: [
      {
        name: 'runner',
        image: 'x',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
      },
    ],
  }

  /** Plays a kubelet that cannot pull for some time. Returns the largest number of runners that started at the same time after the first round. */
  async function pull(stage: Stage, untilMs: number): Promise<number> {
    let together = 0
    for (const stop = stage.clock.now() + untilMs; stage.clock.now() < stop; ) {
      for (const { metadata } of pods(stage)) {
        if (metadata.deletionTimestamp !== undefined) {
          stage.registry.delete('pods', namespace, metadata.name, { gracePeriodSeconds: 0 })
        } else {
          setStatus(stage, metadata.name, { phase: 'Pending', ...backOff })
        }
      }
      await stage.clock.advance(500)
      if (stop - stage.clock.now() < untilMs - seconds(60)) together = Math.max(together, living(stage).length)
    }
    return together
  }

  it.each(jobCounts)('with %i jobs one runner at a time tries, until one gets online', async (jobs) => {
    const stage = await open({ spec: { scale: { max: 200 }, keepFailed: '0s' } })
    queue(stage, jobs)
    const together = await pull(stage, seconds(600))
    expect(together).toBe(1)
    expect(registrations(stage).length).toBeLessThanOrEqual(jobs + 12)
    // The registry is back: the runner that tries next gets online and takes a job, and the others follow.
    while (living(stage).length === 0) await stage.clock.advance(seconds(1))
    const [first] = living(stage)
    await takeJob(stage, first?.metadata.name ?? '')
    await stage.clock.advance(seconds(15))
    expect(living(stage).length).toBe(jobs)
  })
})

it('a new leader that cannot list the pods removes no registration', async () => {
  let broken = false
  const down = {
    status: 500,
    headers: {},
    body: { kind: 'json', value: { kind: 'Status', code: 500, message: 'etcd' } },
  } as const
  const stage = await open({
    spec: { scale: { min: 5, max: 10 } },
    apiFault: ({ method, path }) => (broken && method === 'GET' && /\/pods$/.test(path) ? down : undefined),
  })
  await stage.clock.advance(seconds(3))
  await idleRunners(stage)
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(5))
  await stopping
  broken = true
  const listed = lists(stage).length
  const successor = stage.start('controller-2')
  await stage.clock.advance(seconds(300))
  expect(stage.emulator.control.registrations()).toHaveLength(5)
  expect(deregistrations(stage)).toEqual([])
  expect(lists(stage).length - listed).toBeLessThan(5)
  broken = false
  await stage.clock.advance(seconds(120))
  expect(stage.emulator.control.registrations()).toHaveLength(5)
  expect(podNames(stage)).toHaveLength(5)
  const over = successor.stop()
  await stage.clock.advance(seconds(60))
  await over
})

it('a controller that stops begins no start that still waits, and its successor begins the rest', async () => {
  const stage = await open({ forgeMs: 300, spec: { scale: { max: 400 } } })
  queue(stage, 400)
  // The first tick starts 100 runners. Their outcomes wake further ticks, whose starts wait for their turn.
  while (registrations(stage).length <= 64) await stage.clock.advance(50)
  await stage.clock.advance(150)
  const before = registrations(stage).length
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(10))
  await stopping
  const begun = registrations(stage).length
  expect(begun - before).toBeLessThanOrEqual(128)
  expect(podNames(stage)).toHaveLength(begun)
  const successor = stage.start('controller-2')
  await stage.clock.advance(seconds(30))
  expect(registrations(stage)).toHaveLength(400)
  expect(podNames(stage)).toHaveLength(400)
  const over = successor.stop()
  await stage.clock.advance(seconds(60))
  await over
})

describe('max', () => {
  it('is a ceiling of containers: a runner counts until its pod is over', async () => {
    const stage = await open({ spec: { scale: { max: 4 } } })
    queue(stage, 12)
    await stage.clock.advance(seconds(3))
    let most = 0
    const cleaning = new Map<string, number>()
    for (let turn = 0; turn < 120; turn++) {
      for (const { metadata } of pods(stage)) {
        const { name } = metadata
        const since = cleaning.get(name)
        if (since === undefined) {
          await takeJob(stage, name)
          stage.emulator.control.stub.finish(name, succeeded)
          cleaning.set(name, stage.clock.now())
        } else if (stage.clock.now() - since >= seconds(3)) end(stage, name)
      }
      most = Math.max(most, podNames(stage).length)
      await stage.clock.advance(500)
    }
    expect(cleaning.size).toBe(12)
    expect(most).toBe(4)
  })

  it('does not count a pod that is proved stuck: it is shown, and replaced', async () => {
    const stage = await open({ spec: { scale: { max: 1 } } })
    queue(stage, 2)
    await stage.clock.advance(seconds(3))
    const [name = ''] = podNames(stage)
    await takeJob(stage, name)
    stage.emulator.control.stub.finish(name, succeeded)
    await stage.clock.advance(seconds(590))
    expect(podNames(stage)).toEqual([name])
    await stage.clock.advance(seconds(30))
    expect(podNames(stage)).toHaveLength(2)
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'True', reason: 'TerminationStuck' })
  })
})

describe('a busy runner on a node that is gone', () => {
  it('is replaced when its deletion is stuck, although the forge still counts its job', async () => {
    const stage = await open({ spec: { scale: { max: 1 } } })
    queue(stage, 1)
    await stage.clock.advance(seconds(3))
    const [name = ''] = podNames(stage)
    await takeJob(stage, name)
    queue(stage, 1)
    stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 30 })
    await stage.clock.advance(seconds(55))
    expect(podNames(stage)).toEqual([name])
    await stage.clock.advance(seconds(15))
    expect(podNames(stage)).toHaveLength(2)
  })
})

describe('labels and runner group', () => {
  const change = (stage: Stage, github: object) => {
    const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    const spec = set?.['spec'] as { readonly github: object }
    const changed = { ...spec, github: { ...spec.github, ...github } }
    stage.registry.update('runnersets.dayfly.dev', { ...set, spec: changed })
  }
  const patches = (stage: Stage) => requests(stage, 'PATCH', /runnerscalesets\/\d+$/)

  it('case 36: are changed at the forge without a new session', async () => {
    const stage = await open()
    await stage.clock.advance(seconds(5))
    const sessions = requests(stage, 'POST', /\/sessions$/).length
    change(stage, { labels: ['gpu'] })
    await stage.clock.advance(seconds(5))
    expect(patches(stage)).toHaveLength(1)
    expect(requests(stage, 'POST', /\/sessions$/)).toHaveLength(sessions)
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'False' })
  })

  it('case 36: are shown on the set if the forge does not change them', async () => {
    const stage = await open()
    await stage.clock.advance(seconds(5))
    const fault = stage.emulator.control.fault({
      match: { method: 'PATCH', pathRegex: 'runnerscalesets/\\d+$' },
      times: 1_000,
      action: { kind: 'answer', status: 403, body: { message: 'no permission to change the scale set' } },
    })
    change(stage, { labels: ['gpu'] })
    await stage.clock.advance(seconds(45))
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'True', reason: 'ForgeSettingsDiffer' })
    expect(events(stage, 'forge-failed').at(-1)).toMatchObject({ failure: { reason: 'forge-settings-differ' } })
    stage.emulator.control.removeFault(fault)
    await stage.clock.advance(seconds(660))
    expect(condition(stage, 'Degraded')).toMatchObject({ status: 'False' })
  })
})
