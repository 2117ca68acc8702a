// Holds the sequence of a Job's statuses on a virtual clock. Titles with "seen on a real node" repeat what a node of 1.36 did.
import { expect, test } from 'vitest'
import type { Profile } from '../../api/api.ts'
import { field } from '../../api/values/json.ts'
import { containerOf, openPodStage } from '../../pod-stage.fixture.ts'
import { asJob } from './job-object.ts'
import { isTracked } from './job-pod.ts'

type StageOptions = Parameters<typeof openPodStage>[0]

function openJobStage(options: StageOptions = {}) {
  const stage = openPodStage(options)
  const start = stage.clock.now()
  const jobs: string[] = []
  stage.registry.subscribe('jobs.batch', ({ type, object }) => {
    const {
      active = 0,
      ready = 0,
      terminating = 0,
      succeeded = 0,
      failed = 0,
      conditions = [],
      ...rest
    } = asJob(object).status ?? {}
    const uncounted = rest.uncountedTerminatedPods ?? {}
    const open = (uncounted.succeeded?.length ?? 0) + (uncounted.failed?.length ?? 0)
    const shown = conditions.filter(({ status }) => status === 'True').map(({ type, reason }) => `${type}/${reason}`)
    const counts = `a${active} r${ready} t${terminating} s${succeeded} f${failed}${open > 0 ? ` uncounted${open}` : ''}`
    const line = type === 'DELETED' ? 'gone' : [counts, ...shown].join(' ')
    const deleting = object.metadata.deletionTimestamp === undefined || type === 'DELETED' ? '' : '!'
    jobs.push(`${(stage.clock.now() - start) / 1000}s ${line}${deleting}`)
  })
  return {
    ...stage,
    jobs,
    createJob: (spec: object, pod: object = {}, name = 'j') =>
      stage.registry.create('jobs.batch', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace: 'default' },
        spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [containerOf('main')], ...pod } } },
      }),
    job: (name = 'j') => asJob(stage.registry.get('jobs.batch', 'default', name) ?? fail(name)),
    pods: () => stage.registry.list('pods'),
    eventCount: (reason: string) => stage.events().filter((line) => line.startsWith(reason)).length,
  }
}

function fail(name: string): never {
  throw new Error(`no Job ${name}`)
}

const ends = (endsAfterMs: number, exitCode = 0) => ({ main: { endsAfterMs, exitCode } })

test('counts a success in three durable steps: uid written, finalizer removed, counted', async () => {
  const stage = openJobStage({ scripts: ends(3_000) })
  stage.createJob({})
  await stage.clock.advance(10_000)
  expect(stage.jobs).toEqual([
    '0s a0 r0 t0 s0 f0',
    '0s a1 r0 t0 s0 f0',
    '1s a1 r1 t0 s0 f0',
    '4s a0 r0 t0 s0 f0 uncounted1 SuccessCriteriaMet/CompletionsReached',
    '4s a0 r0 t0 s1 f0 SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached',
  ])
  expect(stage.pods().map(isTracked)).toEqual([false])
  expect(stage.job().status).toMatchObject({ startTime: expect.any(String), completionTime: expect.any(String) })
})

test('reports the end at once before Kubernetes 1.31', async () => {
  const stage = openJobStage({ scripts: ends(3_000), cluster: { profile: '1.30' } })
  stage.createJob({})
  await stage.clock.advance(10_000)
  expect(stage.jobs.slice(-2)).toEqual(['4s a0 r0 t0 s0 f0 uncounted1', '4s a0 r0 t0 s1 f0 Complete/undefined'])
})

test('replaces a failed pod after a back-off that doubles, until the limit', async () => {
  const stage = openJobStage({ scripts: ends(1_000, 1) })
  stage.createJob({ backoffLimit: 2 })
  await stage.clock.advance(120_000)
  expect(stage.seen.filter((line) => line.endsWith('Pending'))).toEqual(['0s Pending', '11s Pending', '32s Pending'])
  expect(stage.jobs.slice(-2)).toEqual([
    '34s a0 r0 t0 s0 f2 uncounted1 FailureTarget/BackoffLimitExceeded',
    '34s a0 r0 t0 s0 f3 FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded',
  ])
  expect(stage.eventCount('BackoffLimitExceeded')).toBe(1)
})

test('sets FailureTarget at the deadline, and Failed when the pod is gone (seen on a real node)', async () => {
  const stage = openJobStage({ scripts: { runner: { endsAfterMs: 1_000 }, docker: { onTerm: 'ignored' } } })
  const containers = [containerOf('runner'), containerOf('docker')]
  stage.createJob({ activeDeadlineSeconds: 8 }, { containers, terminationGracePeriodSeconds: 3 })
  await stage.clock.advance(30_000)
  expect(stage.jobs.slice(4)).toEqual([
    '8s a0 r0 t1 s0 f0 uncounted1 FailureTarget/DeadlineExceeded',
    '8s a0 r0 t1 s0 f1 FailureTarget/DeadlineExceeded',
    '12s a0 r0 t0 s0 f1 FailureTarget/DeadlineExceeded',
    '12s a0 r0 t0 s0 f1 FailureTarget/DeadlineExceeded Failed/DeadlineExceeded',
  ])
})

test('stays active forever while a helper container runs, and its TTL never starts (seen on a real node)', async () => {
  const stage = openJobStage({ scripts: { runner: { endsAfterMs: 1_000 } } })
  stage.createJob({ ttlSecondsAfterFinished: 10 }, { containers: [containerOf('runner'), containerOf('docker')] })
  await stage.clock.advance(3_600_000)
  expect(stage.job().status).toMatchObject({ active: 1, ready: 0, terminating: 0 })
  expect(stage.job().status.conditions).toBeUndefined()
})

test('is deleted ten seconds after its end with a TTL of ten seconds, pods first (seen on a real node)', async () => {
  const stage = openJobStage({ scripts: { runner: { endsAfterMs: 1_000 } } })
  const initContainers = [containerOf('docker', { restartPolicy: 'Always' })]
  stage.createJob({ ttlSecondsAfterFinished: 10 }, { initContainers, containers: [containerOf('runner')] })
  await stage.clock.advance(30_000)
  expect(stage.jobs.slice(-2)).toEqual([
    '12s a0 r0 t0 s1 f0 SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached!',
    '12s gone',
  ])
  expect(stage.pods()).toEqual([])
})

test.each([
  ['TerminatingOrFailed', 2],
  ['Failed', 1],
] as const)(
  'with a pod on a dead node and podReplacementPolicy %s there are %i pods',
  async (podReplacementPolicy, count) => {
    const stage = openJobStage()
    stage.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'dead' } })
    stage.createJob({ podReplacementPolicy }, { nodeName: 'dead' })
    await stage.clock.advance(5_000)
    const [pod] = stage.pods()
    stage.registry.delete('pods', 'default', pod?.metadata.name ?? '')
    await stage.clock.advance(60_000)
    expect(stage.pods()).toHaveLength(count)
    // The hanging pod keeps the Job from ending, even after the verdict.
    stage.registry.update('jobs.batch', { ...stage.job(), spec: { ...stage.job().spec, activeDeadlineSeconds: 1 } })
    await stage.clock.advance(3_600_000)
    expect(stage.jobs.at(-1)).toMatch(/FailureTarget\/DeadlineExceeded$/)
  },
)

test('counts a pod that is deleted while it runs as failed, and a deleted pod that had succeeded as a success', async () => {
  const stage = openJobStage({ scripts: ends(20_000) })
  stage.createJob({})
  await stage.clock.advance(2_000)
  stage.registry.delete('pods', 'default', stage.pods()[0]?.metadata.name ?? '')
  await stage.clock.advance(15_000)
  expect(stage.job().status).toMatchObject({ failed: 1, active: 1 })
  stage.registry.subscribe('pods', ({ object }) => {
    if (field(object, 'status', 'phase') === 'Succeeded' && object.metadata.deletionTimestamp === undefined) {
      queueMicrotask(() => stage.registry.delete('pods', 'default', object.metadata.name, { gracePeriodSeconds: 0 }))
    }
  })
  await stage.clock.advance(60_000)
  expect(stage.job().status).toMatchObject({ succeeded: 1, failed: 1 })
  expect(stage.eventCount('SuccessfulCreate')).toBe(2)
})

test.each([
  [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }, 'a1', undefined],
  [
    { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [1] } },
    'a0',
    /^Container main for pod default\/j-\w+ failed with exit code 3 matching FailJob rule at index 0$/,
  ],
  [{ action: 'Count', onExitCodes: { operator: 'In', values: [3] } }, 'a0', /backoff limit/],
])('applies the pod failure policy %j', async (rule, active, message) => {
  const stage = openJobStage({ scripts: ends(1_000, 3) })
  stage.createJob({ backoffLimit: 0, podFailurePolicy: { rules: [rule] } })
  await stage.clock.advance(11_900)
  expect(stage.jobs.at(-1)).toContain(active)
  const failure = stage.job().status.conditions?.find(({ type }) => type === 'Failed')?.message
  if (message) expect(failure).toMatch(message)
  else expect(failure).toBeUndefined()
})

test('counts container restarts towards the limit with restartPolicy OnFailure, sidecars included', async () => {
  const stage = openJobStage({ scripts: { docker: { endsAfterMs: 500, exitCode: 1 } } })
  const initContainers = [containerOf('docker', { restartPolicy: 'Always' })]
  stage.createJob({ backoffLimit: 2 }, { restartPolicy: 'OnFailure', initContainers })
  await stage.clock.advance(300_000)
  expect(stage.jobs.at(-1)).toContain('Failed/BackoffLimitExceeded')
})

test('never runs more pods than parallelism, and stops at completions', async () => {
  const stage = openJobStage({ scripts: ends(2_000) })
  let most = 0
  stage.registry.subscribe('jobs.batch', ({ object }) => {
    most = Math.max(most, asJob(object).status.active ?? 0)
  })
  stage.createJob({ parallelism: 3, completions: 7 })
  await stage.clock.advance(60_000)
  expect([most, stage.eventCount('SuccessfulCreate'), stage.job().status.succeeded]).toEqual([3, 7, 7])
})

test('adds pods when parallelism grows, and deletes none', async () => {
  const stage = openJobStage()
  stage.createJob({ parallelism: 3 })
  await stage.clock.advance(3_000)
  const before = stage.pods().map(({ metadata }) => metadata.uid)
  stage.registry.patch(
    'jobs.batch',
    { namespace: 'default', name: 'j' },
    { type: 'merge', body: { spec: { parallelism: 5 } } },
  )
  await stage.clock.advance(3_000)
  expect(stage.pods().map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(before))
  expect(stage.job().status).toMatchObject({ active: 5, terminating: 0 })
})

test('deletes the pods of a suspended Job without counting failures, and restarts its time when it is resumed', async () => {
  const stage = openJobStage()
  stage.createJob({ activeDeadlineSeconds: 100 })
  await stage.clock.advance(50_000)
  const suspend = (value: boolean) =>
    stage.registry.patch(
      'jobs.batch',
      { namespace: 'default', name: 'j' },
      { type: 'merge', body: { spec: { suspend: value } } },
    )
  suspend(true)
  await stage.clock.advance(60_000)
  expect(stage.pods()).toEqual([])
  expect(stage.jobs.at(-1)).toMatch(/a0 r0 t0 s0 f0 Suspended\/JobSuspended$/)
  expect(stage.job().status.startTime).toBeUndefined()
  suspend(false)
  await stage.clock.advance(90_000)
  expect(stage.jobs.at(-1)).toMatch(/a1 r1 t0 s0 f0$/)
})

test.each(['Orphan', 'Background', 'Foreground', undefined] as const)(
  'ends its pods as requested when it is deleted with %s',
  async (propagationPolicy) => {
    const stage = openJobStage()
    stage.createJob({})
    await stage.clock.advance(5_000)
    stage.registry.delete('jobs.batch', 'default', 'j', { propagationPolicy })
    await stage.clock.advance(60_000)
    const isKept = propagationPolicy === 'Orphan' || propagationPolicy === undefined
    expect(stage.registry.list('jobs.batch')).toEqual([])
    expect(stage.pods().map(({ metadata }) => [metadata.finalizers ?? [], metadata.ownerReferences ?? []])).toEqual(
      isKept ? [[[], []]] : [],
    )
  },
)

test('ignores a Job that another controller manages', async () => {
  const stage = openJobStage()
  stage.createJob({ managedBy: 'example.com/other' })
  await stage.clock.advance(60_000)
  expect(stage.jobs).toEqual(['0s a0 r0 t0 s0 f0'])
})

test('reports refused pods in an Event, and tries again', async () => {
  const stage = openJobStage()
  stage.createJob({}, { serviceAccountName: 'late' })
  await stage.clock.advance(5_000)
  expect(stage.events().some((line) => line.includes('serviceaccount "late" not found'))).toBe(true)
  const metadata = { name: 'late', namespace: 'default' }
  stage.registry.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await stage.clock.advance(5_000)
  expect(stage.pods()).toHaveLength(1)
})

test.each(['1.29', '1.31', '1.36'] satisfies Profile[])(
  '%s: leaves nothing behind when the cluster stops',
  async (profile) => {
    const stage = openJobStage({ cluster: { profile } })
    stage.createJob({ activeDeadlineSeconds: 100, ttlSecondsAfterFinished: 5 })
    await stage.clock.advance(3_000)
    await stage.cluster.stop()
    expect(stage.clock.next()).toBeUndefined()
  },
)
