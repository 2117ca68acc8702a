// One test for each action and each refusal of a repair.
import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { expect, test } from 'vitest'
import { runRules } from '../engine/run-rules.ts'
import { catalogue } from '../rules/catalogue.ts'
import { accountOf, accountUrl, registration } from './account.fixture.ts'
import {
  arcKinds,
  createArc,
  createPod,
  type DoctorCluster,
  endDeletedPods,
  ended,
  openDoctorCluster,
  ownedBy,
  running,
} from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { keepLine } from './keep-lines.ts'
import { orphanRule } from './orphan-registrations.ts'
import { type Plan, planRepair } from './plan.ts'
import { type PlanOptions, planDefaults } from './plan-options.ts'
import { type RepairOptions, repair } from './repair.ts'

test('deletes a zombie, and keeps the state from which it can be created again', async () => {
  const cluster = open()
  endDeletedPods(cluster.registry)
  zombie(cluster, 'r1')
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'doctor-')), 'images.jsonl')
  const made = await plan(cluster, 'zombie-runner-pod', 'r1')
  const { entries } = await carryOut(cluster, made, {
    keepImage: (step, image) => keepLine(file, { step: step.id, image }),
  })
  expect(entries).toMatchObject([{ outcome: 'done', action: 'delete Pod runners/r1', rule: 'zombie-runner-pod' }])
  const image = JSON.parse(await readFile(file, 'utf8'))
  expect(image).toMatchObject({ step: 1, image: { kind: 'Pod', metadata: { name: 'r1' } } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('calls a deletion done only when the object is gone, and says what holds it', async () => {
  const cluster = open()
  zombie(cluster, 'r1')
  zombie(cluster, 'r2')
  const pod = cluster.registry.get('pods', 'runners', 'r2')
  cluster.registry.update('pods', { ...pod, metadata: { ...pod?.metadata, finalizers: ['example.com/hold'] } })
  const made = await plan(cluster, 'zombie-runner-pod', ['r1', 'r2'])
  const logged: string[] = []
  const begun = cluster.clock.now()
  const { entries } = await carryOut(cluster, made, {
    log: ({ step, outcome, why }) => void logged.push(`${step} ${outcome}: ${why}`),
  })
  expect(logged).toEqual([
    '1 begun: it is being deleted',
    '2 begun: it is being deleted',
    '1 begun: it still exists 60 s later: its node has not confirmed the end',
    '2 begun: it still exists 60 s later: held by example.com/hold',
  ])
  expect(entries.map(({ outcome }) => outcome)).toEqual(['begun', 'begun'])
  // The bound holds for all objects together.
  expect(cluster.clock.now() - begun).toBeLessThan(65_000)
})

test('counts an object as done that another program removed before the step', async () => {
  const cluster = open()
  zombie(cluster, 'r1')
  const made = await plan(cluster, 'zombie-runner-pod', 'r1')
  cluster.registry.delete('pods', 'runners', 'r1', { gracePeriodSeconds: 0 })
  const { entries } = await carryOut(cluster, made)
  expect(entries).toMatchObject([{ outcome: 'done', why: 'it was already gone' }])
  expect(cluster.requests.some(({ method }) => method === 'DELETE')).toBe(false)
})

test('repairs the findings of the rules, which then find nothing', async () => {
  const cluster = open()
  zombie(cluster, 'r1')
  createPod(cluster.registry, { name: 'r2' }, { phase: 'Running', runner: running(cluster.clock) })
  const look = async () => {
    const facts = await gatherLive(cluster)
    const found = runRules(facts, catalogue).hits.map((one) => ({
      rule: one.rule.slug,
      object: one.hit.object,
    }))
    return planRepair(facts, found, planDefaults)
  }
  const made = await look()
  expect(made.steps).toMatchObject([{ rule: 'zombie-runner-pod', action: { do: 'delete', target: { name: 'r1' } } }])
  await carryOut(cluster, made)
  cluster.registry.delete('pods', 'runners', 'r1', { gracePeriodSeconds: 0 })
  expect((await look()).steps).toEqual([])
})

test('deletes nothing, and starts no other step, if the previous state cannot be saved', async () => {
  const cluster = open()
  for (const name of ['r1', 'r2']) zombie(cluster, name)
  const made = await plan(cluster, 'zombie-runner-pod', ['r1', 'r2'])
  const outcome = await carryOut(cluster, made, { keepImage: () => keepLine('/nowhere/images.jsonl', {}) })
  expect(outcome.stopped).toContain('ENOENT')
  expect(outcome.entries.map((entry) => entry.outcome)).toEqual(['aborted', 'skipped'])
  for (const name of ['r1', 'r2']) expect(deletionOf(cluster, name)).toBeUndefined()
})

test('deletes a Job that would retry, and only the pod of one that would not', async () => {
  for (const [backoffLimit, kind] of [
    [6, 'Job'],
    [0, 'Pod'],
  ] as const) {
    const cluster = open()
    const spec = {
      backoffLimit,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
    }
    const metadata = { name: 'j', namespace: 'runners' }
    const job = cluster.registry.create('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata, spec })
    zombie(cluster, 'r1', ownedBy(job))
    const { steps } = await plan(cluster, 'zombie-runner-pod', 'r1')
    expect(steps.map(({ action }) => action.do === 'delete' && action.target.resource.kind)).toEqual([kind])
  }
})

test('leaves a runner alone that gets a job after the plan', async () => {
  const cluster = open()
  createController(cluster)
  const runner = createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' }, { status: { phase: 'Running' } })
  const made = await plan(cluster, 'runner-cr-without-pod', 'r1', {}, undefined, 'EphemeralRunner')
  expect(made.steps).toHaveLength(1)
  cluster.registry.update(arcKinds.EphemeralRunner, { ...runner, status: { phase: 'Running', jobId: 'build' } })
  const { entries } = await carryOut(cluster, made)
  expect(entries).toMatchObject([{ outcome: 'aborted', why: 'it has changed since the plan was made' }])
  expect(cluster.requests.some(({ method }) => method === 'DELETE')).toBe(false)
})

test('leaves a runner alone whose pod starts after the dry run, although the runner itself has not changed', async () => {
  let start = () => {}
  const cluster = open((request) => {
    if (request.method === 'DELETE') start()
  })
  createController(cluster)
  const runner = createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' }, { status: { phase: 'Failed' } })
  const made = await plan(cluster, 'slots-held-by-failed', 'r1', {}, undefined, 'EphemeralRunner')
  start = () => {
    start = () => {}
    const look = { phase: 'Running', runner: running(cluster.clock) }
    createPod(cluster.registry, { name: 'r1', ownerReferences: ownedBy(runner) }, look)
  }
  const { entries } = await carryOut(cluster, made)
  expect(entries).toMatchObject([
    { outcome: 'aborted', dryRun: 'accepted', why: 'it may be busy: its runner container is running' },
  ])
  expect(cluster.registry.get(arcKinds.EphemeralRunner, 'runners', 'r1')?.metadata.deletionTimestamp).toBeUndefined()
})

test('deletes a Job of which only the status moves on, also at the last moment, and keeps one that was labelled', async () => {
  const touch: Record<'status' | 'label', (job: StoredObject) => object> = {
    status: (job) => ({ ...job, status: { startTime: '2026-01-01T00:00:00Z' } }),
    label: (job) => ({ ...job, metadata: { ...job.metadata, labels: { keep: 'yes' } } }),
  }
  for (const [what, when, outcome] of [
    ['status', 'before', 'done'],
    ['status', 'between', 'done'],
    ['label', 'before', 'aborted'],
    ['label', 'between', 'aborted'],
  ] as const) {
    let change: (() => void) | undefined
    const cluster = open((request) => {
      const body = request.body.kind === 'json' ? (request.body.value as { dryRun?: string[] }) : {}
      if (request.method === 'DELETE' && !body.dryRun) change?.()
    })
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } }
    const metadata = { name: 'j', namespace: 'runners' }
    const spec = { backoffLimit: 6, template }
    const job = cluster.registry.create('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata, spec })
    zombie(cluster, 'r1', ownedBy(job))
    const made = await plan(cluster, 'zombie-runner-pod', 'r1')
    const move = () => {
      change = undefined
      const now = cluster.registry.get('jobs.batch', 'runners', 'j')
      const options = what === 'status' ? ({ subresource: 'status' } as const) : {}
      if (now) cluster.registry.update('jobs.batch', touch[what](now), options)
    }
    if (when === 'before') move()
    else change = move
    expect((await plan(cluster, 'zombie-runner-pod', 'r1')).digest === made.digest).toBe(
      what === 'status' || when === 'between',
    )
    const { entries } = await carryOut(cluster, made)
    expect([what, when, entries[0]?.outcome]).toEqual([what, when, outcome])
    if (outcome === 'done') expect(entries[0]?.why).toContain('only its status had changed since the plan')
  }
})

test('lets the server refuse a write after a change in the last moment', async () => {
  let change: (() => void) | undefined
  const cluster = open((request) => {
    const body = request.body.kind === 'json' ? (request.body.value as { dryRun?: string[] }) : {}
    if (request.method === 'DELETE' && !body.dryRun) change?.()
  })
  zombie(cluster, 'r1')
  const made = await plan(cluster, 'zombie-runner-pod', 'r1')
  change = () => {
    const pod = cluster.registry.get('pods', 'runners', 'r1')
    cluster.registry.update('pods', { ...pod, metadata: { ...pod?.metadata, labels: { touched: 'yes' } } })
  }
  const { entries } = await carryOut(cluster, made)
  expect(entries[0]).toMatchObject({ outcome: 'aborted', why: expect.stringContaining('it has changed') })
  expect(deletionOf(cluster, 'r1')).toBeUndefined()
})

test('carries out only the confirmed plan', async () => {
  const cluster = open()
  zombie(cluster, 'r1')
  const made = await plan(cluster, 'zombie-runner-pod', 'r1')
  const outcome = await carryOut(cluster, made, { confirmed: 'another' })
  expect(outcome).toMatchObject({ entries: [], refused: expect.stringContaining('no longer the one') })
  zombie(cluster, 'r2')
  expect((await plan(cluster, 'zombie-runner-pod', 'r1')).digest).toBe(made.digest)
  expect((await plan(cluster, 'zombie-runner-pod', 'r2')).digest).not.toBe(made.digest)
})

test('leaves objects above the limits to the next run, and stops a plan with too many at once', async () => {
  const cluster = open()
  const names = Array.from({ length: 12 }, (_, index) => `r${index}`)
  for (const name of names) zombie(cluster, name)
  const limited = await plan(cluster, 'zombie-runner-pod', names, { objectsMax: 5 })
  expect([limited.steps.length, limited.deferred, limited.blocked]).toEqual([5, 7, undefined])
  const stopped = await plan(cluster, 'zombie-runner-pod', names)
  expect(stopped.blocked).toBe(
    '12 of 12 runners would be deleted at once: that points to an outage, or to a defect of the doctor',
  )
  expect((await carryOut(cluster, stopped)).refused).toBe(stopped.blocked)
})

test('deletes a pod without its node only if the node is gone and the forge no longer has the runner', async () => {
  const cluster = open()
  const look = { phase: 'Running', runner: running(cluster.clock), node: 'node-2' }
  const spec = { githubConfigUrl: `${accountUrl}/` }
  const owner = createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' }, { spec })
  createPod(cluster.registry, { name: 'r1', ownerReferences: ownedBy(owner) }, look)
  cluster.registry.delete('pods', 'runners', 'r1')
  const refused = await plan(cluster, 'stuck-terminating', 'r1')
  expect(refused.refused[0]?.because).toContain('the forge has not said that it is no longer registered')
  // The list of another account says nothing about the runner.
  const stranger = { ...accountOf([]), url: 'https://github.com/other' }
  expect((await plan(cluster, 'stuck-terminating', 'r1', {}, stranger)).steps).toEqual([])
  const made = await plan(cluster, 'stuck-terminating', 'r1', {}, accountOf([]))
  expect(made.steps).toMatchObject([
    { action: { do: 'delete', gracePeriodSeconds: 0 }, evidence: { class: 'dead-hard' } },
  ])
  const { entries } = await carryOut(cluster, made, { account: accountOf([]) })
  expect(entries).toMatchObject([{ outcome: 'done', why: 'it is gone' }])
  createPod(cluster.registry, { name: 'r2' }, { ...look, node: 'node-1', runner: ended(cluster.clock) })
  cluster.registry.delete('pods', 'runners', 'r2')
  const there = await plan(cluster, 'stuck-terminating', 'r2', {}, accountOf([]))
  expect(there.refused).toMatchObject([{ because: expect.stringContaining('time alone proves nothing') }])
})

test('deletes a failed runner of ARC, but not without a controller, because the deletion would hang', async () => {
  const cluster = open()
  const status = { phase: 'Failed', reason: 'InvalidPod' }
  createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' }, { status })
  const without = await plan(cluster, 'ephemeralrunner-failed-silently', 'r1', {}, undefined, 'EphemeralRunner')
  expect(without.refused[0]?.because).toContain('would hang')
  createController(cluster)
  const made = await plan(cluster, 'ephemeralrunner-failed-silently', 'r1', {}, undefined, 'EphemeralRunner')
  expect((await carryOut(cluster, made)).entries).toMatchObject([{ outcome: 'done' }])
  expect(cluster.registry.get(arcKinds.EphemeralRunner, 'runners', 'r1')).toBeUndefined()
})

test('removes an orphan registration only at a forge that refuses to remove busy ones', async () => {
  const cluster = open()
  const orphan = registration('gone', { id: '4' })
  const orphanPlan = (account: ForgeAccount) => plan(cluster, orphanRule, 'gone', {}, account, 'Registration')
  const made = await orphanPlan(accountOf([orphan]))
  const outcome = async (account: ForgeAccount) => (await carryOut(cluster, made, { account })).entries
  expect(await outcome(accountOf([orphan]))).toMatchObject([
    { outcome: 'done', action: 'remove the registration gone at the forge', why: 'the forge removed it' },
  ])
  for (const [change, why] of [
    [{ busy: true }, 'it may be busy: the forge does not report it as idle'],
    [{ busy: 'unknown' }, 'it may be busy: the forge does not report it as idle'],
    [{ status: 'online' }, 'its runner may be online'],
    [{ id: '5' }, 'another runner is registered under its name'],
  ] as const) {
    const account = accountOf([{ ...orphan, ...change }])
    expect(await outcome(account)).toMatchObject([{ outcome: 'aborted', why }])
    expect(await account.find('gone')).toBeDefined()
  }
  expect(await outcome(accountOf([]))).toMatchObject([{ outcome: 'aborted', why: 'the forge no longer has it' }])
  const unguarded = await orphanPlan(accountOf([orphan], 'unguarded'))
  expect([unguarded.steps, unguarded.guided[0]?.advice]).toEqual([[], expect.stringContaining('by hand')])
  zombie(cluster, 'gone')
  expect(await outcome(accountOf([orphan]))).toMatchObject([{ why: 'the cluster has a runner with its name again' }])
  expect((await orphanPlan(accountOf([orphan]))).refused[0]?.because).toBe('the cluster has an object with its name')
})

function open(watch: (request: DoctorCluster['requests'][number]) => void = () => {}): DoctorCluster {
  const cluster = openDoctorCluster((request) => void watch(request))
  cluster.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  return cluster
}

function createController(cluster: DoctorCluster): void {
  const labels = { 'app.kubernetes.io/part-of': 'gha-rs-controller' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'x' }] } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  const metadata = { name: 'arc', namespace: 'arc-system', labels }
  cluster.registry.create('deployments.apps', { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec })
}

function zombie({ registry, clock }: DoctorCluster, name: string, ownerReferences: readonly object[] = []): void {
  createPod(registry, { name, ownerReferences }, { phase: 'Running', runner: ended(clock), docker: running(clock) })
}

function deletionOf({ registry }: DoctorCluster, name: string): string | undefined {
  return registry.get('pods', 'runners', name)?.metadata.deletionTimestamp
}

async function plan(
  cluster: DoctorCluster,
  rule: string,
  names: string | readonly string[],
  options: Partial<PlanOptions> = {},
  account?: ForgeAccount,
  kind = 'Pod',
): Promise<Plan> {
  const facts = await gatherLive({ ...cluster, account })
  const findings = [names].flat().map((name) => ({
    rule,
    object:
      kind === 'Registration'
        ? { apiVersion: '', kind, namespace: undefined, name, uid: '4' }
        : { apiVersion: '', kind, namespace: 'runners', name },
  }))
  return planRepair(facts, findings, { ...planDefaults, ...options })
}

function carryOut({ kubernetes, inquiry, clock }: DoctorCluster, made: Plan, options: Partial<RepairOptions> = {}) {
  const standard = {
    kubernetes,
    inquiry,
    clock,
    account: undefined,
    confirmed: made.digest,
    keepImage: async () => {},
    log: () => {},
  }
  return repair(made, { ...standard, ...options })
}
