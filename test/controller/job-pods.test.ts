// The pods that runners make for their jobs, with the test in the place of the hooks of the runner image.
import type { Request } from '@dayfly/kit/http'
import { expect, it } from 'vitest'
import {
  end,
  events,
  namespace,
  openStage,
  podNames,
  pods,
  queue,
  type Stage,
  type StageOptions,
  setStatus,
  succeeded,
  takeJob,
} from './stage.ts'

const seconds = (count: number) => count * 1_000

function runJobsInPods(stage: Stage): void {
  stage.registry.create('serviceaccounts', { metadata: { name: 'dayfly-job-pods', namespace } })
  const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
  stage.registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set?.['spec'] as object), jobs: 'pods' } })
}

/** Opens a stage with one runner that has a job. */
async function openWithJob(options: StageOptions = {}): Promise<{ stage: Stage; runner: string }> {
  const stage = await openStage({ forgeMs: 150, apiMs: 50, ...options })
  runJobsInPods(stage)
  queue(stage, 1)
  await stage.clock.advance(seconds(5))
  const [runner = ''] = podNames(stage)
  await takeJob(stage, runner)
  return { stage, runner }
}

/** Makes what the hooks make for a job with an image of a private registry. */
function prepareJob(stage: Stage, runner: string): string {
  const metadata = (name: string) => ({ name, namespace, labels: { 'runner-pod': runner } })
  const secret = `${runner.slice(0, 47)}-secret-0a1b2c3d`
  stage.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: metadata(secret), immutable: true })
  stage.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'of-the-user', namespace } })
  const name = `${runner}-workflow`
  stage.registry.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(name),
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'job', image: 'node:22' }],
      imagePullSecrets: [{ name: secret }, { name: 'of-the-user' }],
    },
  })
  return name
}

const owners = (stage: Stage, kind: 'pods' | 'secrets') =>
  stage.registry
    .list(kind, namespace)
    .filter(({ metadata }) => metadata.labels?.['runner-pod'])
    .map(({ metadata }) => metadata.ownerReferences)

it('belong to the pod of the runner, with the credential of their images', async () => {
  const { stage, runner } = await openWithJob()
  prepareJob(stage, runner)
  await stage.clock.advance(seconds(1))
  const uid = pods(stage).find(({ metadata }) => metadata.name === runner)?.metadata.uid
  const owner = { apiVersion: 'v1', kind: 'Pod', name: runner, uid, blockOwnerDeletion: false }
  expect([...owners(stage, 'pods'), ...owners(stage, 'secrets')]).toEqual([[owner], [owner]])
  expect(stage.registry.get('secrets', namespace, 'of-the-user')?.metadata.ownerReferences).toBeUndefined()
})

it('are removed with a runner that ends and leaves them, and only then', async () => {
  const { stage, runner } = await openWithJob()
  const name = prepareJob(stage, runner)
  await stage.clock.advance(seconds(60))
  expect(podNames(stage)).toContain(name)
  end(stage, runner, 1)
  await stage.clock.advance(seconds(5))
  expect(podNames(stage)).not.toContain(name)
  expect(owners(stage, 'secrets')).toEqual([])
  expect(stage.registry.get('secrets', namespace, 'of-the-user')).toBeDefined()
})

it('are removed with a runner that ends while they are adopted', async () => {
  const { stage, runner } = await openWithJob({ apiMs: 300 })
  const name = prepareJob(stage, runner)
  await stage.clock.advance(200)
  end(stage, runner, 1)
  await stage.clock.advance(seconds(5))
  expect(podNames(stage)).not.toContain(name)
})

it('are adopted by the next leader, and those of a runner that is gone are removed', async () => {
  const { stage, runner } = await openWithJob()
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(60))
  await stopping
  const name = prepareJob(stage, runner)
  const lost = prepareJob({ ...stage, registry: withoutUserSecret(stage) }, `${runner.slice(0, -1)}0`)
  stage.controller = stage.start('controller-2')
  await stage.clock.advance(seconds(20))
  expect(podNames(stage)).toContain(name)
  expect(podNames(stage)).not.toContain(lost)
})

function withoutUserSecret(stage: Stage): Stage['registry'] {
  stage.registry.delete('secrets', namespace, 'of-the-user')
  return stage.registry
}

it('show why they do not start, after the time that the start of a runner has', async () => {
  const { stage, runner } = await openWithJob()
  const name = prepareJob(stage, runner)
  // The kubelet is faster than the answer to the adoption.
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "node:22"' }
  setStatus(stage, name, { phase: 'Pending', containerStatuses: [{ name: 'job', state: { waiting } }] })
  await stage.clock.advance(seconds(20))
  expect(events(stage, 'job-pod-failed')).toEqual([])
  await stage.clock.advance(seconds(20))
  expect(events(stage, 'job-pod-failed')).toMatchObject([{ runner, pod: name, failure: { reason: 'image-missing' } }])
})

it('put a success in doubt if they ended before their job', async () => {
  const { stage, runner } = await openWithJob()
  const name = prepareJob(stage, runner)
  await stage.clock.advance(seconds(1))
  const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date(stage.clock.now()).toISOString() }
  setStatus(stage, name, { phase: 'Failed', containerStatuses: [{ name: 'job', state: { terminated } }] })
  await stage.clock.advance(seconds(1))
  expect(events(stage, 'job-pod-failed')).toMatchObject([{ failure: { reason: 'out-of-memory' } }])
  stage.registry.delete('pods', namespace, name)
  stage.emulator.control.stub.finish(runner, succeeded)
  end(stage, runner)
  await stage.clock.advance(seconds(5))
  expect(events(stage, 'job-doubtful')).toMatchObject([{ runner, failure: { reason: 'out-of-memory' } }])
})

it('are tried again if the right to adopt them is missing, and the first refusal is shown', async () => {
  let refuses = true
  const status = {
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "x" is forbidden: User "d" cannot patch',
  }
  const { stage, runner } = await openWithJob({
    apiFault: ({ method, path }) =>
      refuses && method === 'PATCH' && path.endsWith('-workflow')
        ? { status: 403, headers: {}, body: { kind: 'json', value: status } }
        : undefined,
  })
  prepareJob(stage, runner)
  await stage.clock.advance(seconds(60))
  expect(events(stage, 'write-failed')).toMatchObject([{ set: 'linux', message: expect.stringContaining('forbidden') }])
  refuses = false
  await stage.clock.advance(seconds(300))
  expect(owners(stage, 'pods')).toEqual([[expect.objectContaining({ name: runner })]])
})

it('belong to their runner also if its set was deleted before they were made', async () => {
  const { stage, runner } = await openWithJob()
  const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
  stage.registry.update('runnersets.dayfly.dev', { ...set, metadata: { ...set?.metadata, finalizers: undefined } })
  stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
  await stage.clock.advance(200)
  expect(podNames(stage)).toContain(runner)
  prepareJob(stage, runner)
  await stage.clock.advance(seconds(2))
  expect(owners(stage, 'pods')).toEqual([[expect.objectContaining({ name: runner })]])
})

it('are removed by the next leader if neither their set nor their runner exists', async () => {
  const { stage, runner } = await openWithJob()
  await stage.clock.advance(seconds(1))
  const stopping = stage.controller.stop()
  await stage.clock.advance(seconds(60))
  await stopping
  const ofDeletedSet = runner.replace(/-[0-9a-f]{5}-/, '-00000-')
  const names = [prepareJob(stage, ofDeletedSet), prepareJob({ ...stage, registry: withoutUserSecret(stage) }, runner)]
  stage.controller = stage.start('controller-2')
  await stage.clock.advance(seconds(20))
  expect(podNames(stage)).toEqual([runner, names[1]])
})

/** Makes a pod with the name of a runner that the watch of the runners does not show: it has no owner. */
function makeUnseen(stage: Stage, name: string, labels: Readonly<Record<string, string>>): void {
  stage.registry.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: 'runner', image: 'r' }] },
  })
}

it('are removed although another client has made a pod with the name of their runner', async () => {
  const { stage, runner } = await openWithJob()
  const other = `${runner.slice(0, -1)}2`
  makeUnseen(stage, other, {})
  const name = prepareJob(stage, other)
  await stage.clock.advance(seconds(10))
  expect(podNames(stage)).not.toContain(name)
  expect(podNames(stage)).toContain(other)
})

it('are left alone while the watch of their runners is late', async () => {
  const { stage, runner } = await openWithJob()
  const late = `${runner.slice(0, -1)}2`
  makeUnseen(stage, late, { 'dayfly.dev/set': 'linux' })
  const name = prepareJob(stage, late)
  await stage.clock.advance(seconds(60))
  expect(podNames(stage)).toContain(name)
  stage.registry.delete('pods', namespace, late, { gracePeriodSeconds: 0 })
  await stage.clock.advance(seconds(10))
  expect(podNames(stage)).not.toContain(name)
})

it.each(['pods', 'secrets'])(
  'are adopted with their Secrets also after a false 404 to the PATCH of their %s',
  async (kind) => {
    let left = 1
    const { stage, runner } = await openWithJob({
      apiFault: ({ method, path }) => {
        if (method !== 'PATCH' || !path.includes(`/${kind}/`) || left-- <= 0) return undefined
        const value = { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' }
        return { status: 404, headers: {}, body: { kind: 'json', value } }
      },
    })
    prepareJob(stage, runner)
    await stage.clock.advance(seconds(10))
    const owner = [expect.objectContaining({ name: runner })]
    expect([...owners(stage, 'pods'), ...owners(stage, 'secrets')]).toEqual([owner, owner])
  },
)

it('are left alone if they are of other runners, such as those of ARC', async () => {
  const { stage } = await openWithJob()
  const name = prepareJob(stage, 'arc-runner-x7k2p-runner-abcde')
  await stage.clock.advance(seconds(60))
  expect(podNames(stage)).toContain(name)
  expect(owners(stage, 'pods')).toEqual([undefined])
})

it('are not watched while no set makes them', async () => {
  let watches = 0
  const count = ({ query }: Request) => {
    if (query['labelSelector'] === 'runner-pod') watches++
    return undefined
  }
  const opened = await openStage({ apiFault: count })
  await opened.clock.advance(seconds(5))
  expect(watches).toBe(0)
  runJobsInPods(opened)
  await opened.clock.advance(seconds(5))
  expect(watches).toBe(1)
})
