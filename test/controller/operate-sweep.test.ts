// Sweeps what a lost controller left: a real one starts runners, is cut off, and its set goes away without its pods.
import { gatherLeftovers, type SweepChoice } from '@dayfly/controller/operate/sweep/gather'
import { performSweep } from '@dayfly/controller/operate/sweep/perform'
import { planSweep } from '@dayfly/controller/operate/sweep/plan'
import { secrets as secretKind } from '@dayfly/controller/resources'
import { createGitHubAccount } from '@dayfly/forges/github/account'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createInquiry } from '@dayfly/kubernetes/inquiry'
import { expect, test } from 'vitest'
import { end, namespace, openStage, podNames, pods, queue, run, type Stage, schedule, takeJob } from './stage.ts'

const hour = 3_600_000

/** A set whose runners are busy, idle, ended and starting; then the controller and the set are gone, and the pods are not. */
async function openLost() {
  const stage = await openStage({ forgeMs: 100, apiMs: 50 })
  queue(stage, 4)
  await stage.clock.advance(2_000)
  const [busy = '', idle = '', ended = '', starting = ''] = podNames(stage)
  await takeJob(stage, busy)
  schedule(stage, idle)
  run(stage, idle)
  schedule(stage, ended)
  const stopping = stage.controller.stop()
  await stage.clock.advance(60_000)
  await stopping
  end(stage, ended)
  for (const pod of pods(stage)) {
    const { ownerReferences: _owners, ...metadata } = pod.metadata
    stage.registry.update('pods', { ...pod, metadata })
  }
  stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
  await stage.clock.advance(1_000)
  return { stage, busy, idle, ended, starting }
}

function placeOf(stage: Stage, withForge: boolean, more: Partial<SweepChoice> = {}) {
  const { clock, emulator } = stage
  const random = seededRandom(7)
  const connection = { transport: stage.transport, clock, random }
  const credential = { kind: 'token', token: 'token' } as const
  const account = withForge
    ? createGitHubAccount({
        url: stage.url,
        credential,
        transport: emulator.transport,
        clock,
        random,
        userAgent: 'test',
      })
    : undefined
  const place = { kubernetes: createKubernetes(connection), inquiry: createInquiry(connection), clock, account }
  const choice: SweepChoice = {
    namespace: undefined,
    lease: { namespace: undefined, name: 'dayfly' },
    account,
    scaleSets: [],
    group: undefined,
    ...more,
  }
  const plan = async () => planSweep(await gatherLeftovers(place, choice))
  return { place, plan }
}

/** Waits for the work while virtual time passes. */
async function during<T>(stage: Stage, work: Promise<T>): Promise<T> {
  let over = false
  const settled = work.finally(() => {
    over = true
  })
  for (let step = 0; !over && step < 600; step++) await stage.clock.advance(100)
  return settled
}

const says = (plan: Awaited<ReturnType<ReturnType<typeof placeOf>['plan']>>) =>
  plan.steps.map((step) => [step.does, 'target' in step ? step.target.name : step.name])

test('without the forge only what has ended is swept', async () => {
  const { stage, busy, idle, ended, starting } = await openLost()
  const { plan } = placeOf(stage, false)
  const made = await during(stage, plan())
  expect(says(made).filter(([does]) => does === 'delete-pod')).toEqual([['delete-pod', ended]])
  expect(made.untouched.map(({ what }) => what)).toEqual(
    expect.arrayContaining([busy, idle, starting].map((name) => `Pod ${namespace}/${name}`)),
  )
  expect(await during(stage, plan())).toEqual(made)
})

test('the forge lets idle runners go, and a busy one is never touched', async () => {
  const { stage, busy, idle, ended, starting } = await openLost()
  const { place, plan } = placeOf(stage, true)
  const made = await during(stage, plan())
  expect(
    says(made)
      .filter(([does]) => does === 'delete-pod')
      .sort(),
  ).toEqual([idle, ended, starting].sort().map((name) => ['delete-pod', name]))
  expect(made.untouched).toContainEqual({ what: `Pod ${namespace}/${busy}`, because: expect.stringMatching(/busy/) })
  const results = await during(
    stage,
    performSweep(place, made.steps, () => {}),
  )
  expect(results.filter(({ is }) => is !== 'done')).toEqual([])
  await stage.clock.advance(60_000)
  expect(
    pods(stage)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
  ).toEqual([busy])
  const left = stage.emulator.control.registrations().map(({ name }) => name)
  expect(left).toContain(busy)
  expect(left).not.toContain(idle)
})

test('a runner that got a job between plan and step is kept, and so is an object that changed', async () => {
  const { stage, idle, ended } = await openLost()
  const { place, plan } = placeOf(stage, true)
  const made = await during(stage, plan())
  stage.emulator.control.stub.online(idle)
  queue(stage, 1)
  await stage.clock.advance(1_000)
  stage.emulator.control.stub.start(idle)
  const pod = stage.registry.get('pods', namespace, ended)
  stage.registry.update('pods', {
    ...pod,
    metadata: { ...pod?.metadata, labels: { ...pod?.metadata.labels, seen: 'yes' } },
  })
  const results = await during(
    stage,
    performSweep(place, made.steps, () => {}),
  )
  const of = (name: string) =>
    results.find(({ step }) => 'target' in step && step.target.name === name && step.does === 'delete-pod')
  expect(of(idle)).toMatchObject({ is: 'kept', why: expect.stringMatching(/busy/) })
  expect(of(ended)).toMatchObject({ is: 'kept', why: 'it has changed since the plan' })
  expect(podNames(stage)).toEqual(expect.arrayContaining([idle, ended]))
})

test('registrations go when they are an hour old, then the named scale set, then the Lease; nothing is left', async () => {
  const { stage, busy } = await openLost()
  end(stage, busy)
  for (const name of podNames(stage)) stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
  const { plan } = placeOf(stage, true, { scaleSets: ['linux'] })
  const young = await during(stage, plan())
  expect(says(young).filter(([does]) => does === 'deregister')).toEqual([])
  expect(young.untouched).toContainEqual({
    what: 'scale set linux',
    because: expect.stringMatching(/^4 jobs assigned/),
  })
  await stage.clock.advance(2 * hour)
  const { place, plan: later } = placeOf(stage, true, { scaleSets: ['linux'] })
  const made = await during(stage, later())
  const counts = (does: string) => made.steps.filter((step) => step.does === does).length
  expect(['delete-secret', 'delete-lease', 'deregister', 'remove-set'].map(counts)).toEqual([4, 1, 3, 1])
  expect(made.untouched).toEqual([])
  const results = await during(
    stage,
    performSweep(place, made.steps, () => {}),
  )
  expect(results.filter(({ is }) => is !== 'done')).toEqual([])
  expect(stage.emulator.control.registrations()).toEqual([])
  expect(stage.registry.list('leases.coordination.k8s.io')).toEqual([])
  const { items } = await during(stage, place.kubernetes.list(secretKind, { labelSelector: 'dayfly.dev/runner' }))
  expect(items).toEqual([])
})

test('nothing of a set that lives is swept', async () => {
  const stage = await openStage({})
  queue(stage, 3)
  await stage.clock.advance(2 * hour)
  const { plan } = placeOf(stage, true, { scaleSets: ['linux'] })
  const made = await during(stage, plan())
  expect(made.steps).toEqual([])
  expect(made.untouched).toEqual([{ what: 'scale set linux', because: `the RunnerSet ${namespace}/linux uses it` }])
})
