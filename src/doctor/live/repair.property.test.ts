// Random cluster states with busy runners, every finding on every object: whatever a rule may say, no busy runner is deleted, no step goes without preconditions, and nothing unreadable is taken for absent.
import { expect, test } from 'vitest'
import { accountOf } from '../../../test/doctor-account.ts'
import { arcKinds, type DoctorCluster, openDoctorCluster } from '../../../test/doctor-cluster.ts'
import { buildState, chance, pickOf, type State, startWaiting } from '../../../test/doctor-state.ts'
import type { StoredObject } from '../../embedded/api/object.ts'
import type { ForgeAccount } from '../../forge/account.ts'
import type { Answer, Request } from '../../lib/http.ts'
import { seededRandom } from '../../lib/random.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import { gatherLive } from './gather.ts'
import type { Found } from './mend.ts'
import { type Plan, planRepair } from './plan.ts'
import { type PlanOptions, planDefaults } from './plan-options.ts'
import { type RepairEntry, repair } from './repair.ts'

const slugs: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'zombie-runner-pod',
    'stuck-terminating',
    'orphan-completed-pods',
    'tracking-finalizer-stuck',
    'runner-session-conflict',
  ],
  EphemeralRunner: ['ephemeralrunner-failed-silently', 'runner-cr-without-pod', 'runner-session-conflict'],
  EphemeralRunnerSet: ['slots-held-by-failed'],
  AutoscalingRunnerSet: ['slots-held-by-failed', 'uninstall-stuck'],
}
const mutable = ['pods', 'jobs.batch', 'serviceaccounts', ...Object.values(arcKinds)]
const blindable = [
  'pods',
  'jobs',
  'nodes',
  'deployments',
  'ephemeralrunners',
  'ephemeralrunnersets',
  'autoscalinglisteners',
  'autoscalingrunnersets',
]

test('5,000 random states', { timeout: 300_000 }, async () => {
  const totals = { steps: 0, done: 0, busy: 0, refused: 0 }
  for (let seed = 1; seed <= 5_000; seed++) {
    try {
      await tryState(seed, totals)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  // The property would hold of a doctor that does nothing, and of states without busy runners.
  expect(totals.done).toBeGreaterThan(3_000)
  expect(totals.busy).toBeGreaterThan(3_000)
})

type Totals = { steps: number; done: number; busy: number; refused: number }

async function tryState(seed: number, totals: Totals): Promise<void> {
  const random = seededRandom(seed)
  const denied = chance(random, 0.3) ? pickOf(random, blindable) : undefined
  let isDenying = denied !== undefined
  const cluster = openDoctorCluster((request) => (isDenying && isListOf(request, denied) ? forbidden : undefined))
  const state = buildState(cluster, random)
  const removal = chance(random, 0.5) ? 'refuses-busy' : 'unguarded'
  const account = state.registrations && accountOf([...state.registrations], removal)
  const facts = await gather(cluster, account)
  const options: PlanOptions = {
    ...planDefaults,
    restoreDeclined: chance(random, 0.7),
  }
  const findings = everyFinding(facts)
  const plan = planRepair(facts, findings, options)
  expect(planRepair(facts, findings, options)).toEqual(plan)
  checkBlindness(plan, denied)
  for (const { guards } of plan.steps) expect(guards.length).toBeGreaterThan(0)
  isDenying = false
  const starts = chance(random, 0.3)
  if (starts) startWaiting(cluster, state)
  const before = snapshot(cluster)
  cluster.requests.length = 0
  const entries = await carryOut(cluster, account, plan)
  checkRequests(cluster)
  checkBusy(cluster, state, before, starts)
  checkOutcome({ plan, entries, before, after: snapshot(cluster) })
  // Without a change in between, what is planned is done.
  if (!starts) expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([])
  totals.steps += plan.steps.length
  totals.refused += plan.refused.length
  totals.done += entries.filter(({ outcome }) => outcome === 'done').length
  totals.busy += state.runners.filter(({ busy }) => busy).length
}

async function gather(cluster: DoctorCluster, account: ForgeAccount | undefined): Promise<Facts & { live: LiveFacts }> {
  const { live, ...facts } = await gatherLive({ ...cluster, account })
  if (!live) throw new Error('no live facts')
  return { ...facts, live }
}

function everyFinding({ objects }: Facts): readonly Found[] {
  return objects.flatMap(({ object }) => (slugs[object.kind] ?? []).map((rule) => ({ rule, object })))
}

async function carryOut({ kubernetes, inquiry, clock }: DoctorCluster, account: ForgeAccount | undefined, plan: Plan) {
  const { entries } = await repair(plan, {
    kubernetes,
    inquiry,
    clock,
    account,
    confirmed: plan.digest,
    keepImage: async () => {},
    log: () => {},
  })
  return entries
}

/** Every write names the object by uid and version, is tried dry first, and takes away one finalizer at most. */
function checkRequests({ requests }: DoctorCluster): void {
  const writes = requests.filter(({ method }) => method !== 'GET')
  const dry = new Set<string>()
  for (const { method, path, query, body } of writes) {
    const value = body.kind === 'json' ? body.value : undefined
    if (method === 'DELETE') {
      const options = value as { preconditions?: { uid?: string; resourceVersion?: string }; dryRun?: string[] }
      expect(options.preconditions?.uid).toBeTruthy()
      expect(options.preconditions?.resourceVersion).toBeTruthy()
      const key = `DELETE ${path} ${JSON.stringify(options.preconditions)}`
      if (options.dryRun) dry.add(key)
      else expect(dry.has(key)).toBe(true)
    } else {
      expect(method).toBe('PATCH')
      const operations = value as { op: string; path: string }[]
      expect(operations.map(({ op }) => op)).toEqual(['test', 'test', 'test', 'remove'])
      expect(operations.map((one) => one.path).slice(0, 2)).toEqual(['/metadata/uid', '/metadata/resourceVersion'])
      const key = `PATCH ${path} ${JSON.stringify(operations)}`
      if (query?.['dryRun']) dry.add(key)
      else expect(dry.has(key)).toBe(true)
    }
  }
}

function checkBusy(cluster: DoctorCluster, state: State, before: Snapshot, starts: boolean): void {
  for (const { objects, name } of state.runners.filter(({ busy, mayStart }) => busy || (starts && mayStart))) {
    for (const [resource, at] of objects) {
      const was = before.get(`${resource} ${at}`)
      if (!was) continue
      const now = cluster.registry.get(resource, 'runners', at)
      expect(now?.metadata.uid, `${resource} of ${name}`).toBe(was.metadata.uid)
      expect(now?.metadata.deletionTimestamp, `${resource} of ${name}`).toBe(was.metadata.deletionTimestamp)
      expect(now?.metadata.finalizers, `${resource} of ${name}`).toEqual(was.metadata.finalizers)
    }
  }
}

/** What the log says was done is what became of the cluster, and nothing else changed. */
function checkOutcome(run: {
  readonly plan: Plan
  readonly entries: readonly RepairEntry[]
  readonly before: Snapshot
  readonly after: Snapshot
}): void {
  const touched = new Set<string>()
  for (const { outcome, step } of run.entries) {
    const action = run.plan.steps[step - 1]?.action
    if (outcome !== 'done' || !action || action.do === 'deregister') continue
    const { uid } = action.target
    touched.add(uid)
    const now = [...run.after.values()].find(({ metadata }) => metadata.uid === uid)
    if (action.do === 'delete') expect(now === undefined || now.metadata.deletionTimestamp !== undefined).toBe(true)
    else expect(now?.metadata.finalizers ?? []).not.toContain(action.finalizer)
  }
  for (const [key, was] of run.before) {
    if (!touched.has(was.metadata.uid)) expect(run.after.get(key)).toBe(was)
  }
  expect([...run.after.keys()].filter((key) => !run.before.has(key))).toEqual([])
}

/** Which steps rest on the absence of something in a kind that could not be read. */
function checkBlindness({ steps }: Plan, denied: string | undefined): void {
  const kindOf = (step: Plan['steps'][number]) =>
    step.action.do === 'deregister' ? '' : step.action.target.resource.kind
  const frees = steps.filter(({ rule, action }) => rule === 'uninstall-stuck' && action.do !== 'deregister')
  const forced = steps.filter(({ action }) => action.do === 'delete' && action.gracePeriodSeconds === 0)
  const lost = steps.filter(({ guards }) =>
    guards.some((guard) => guard.is === 'absent' && guard.target.resource.kind === 'Job'),
  )
  const freed = (kinds: readonly string[]) => frees.filter((step) => kinds.includes(kindOf(step)))
  const above = ['AutoscalingRunnerSet', 'ServiceAccount']
  const forbiddenSteps: Readonly<Record<string, readonly unknown[]>> = {
    pods: steps,
    jobs: lost,
    nodes: forced,
    deployments: frees,
    ephemeralrunners: [...freed(['EphemeralRunnerSet', ...above])],
    ephemeralrunnersets: freed(above),
    autoscalinglisteners: freed(above),
    autoscalingrunnersets: freed(['ServiceAccount']),
  }
  if (denied !== undefined) expect(forbiddenSteps[denied]).toEqual([])
}

type Snapshot = ReadonlyMap<string, StoredObject>

function snapshot({ registry }: DoctorCluster): Snapshot {
  return new Map(
    mutable.flatMap((resource) =>
      registry.list(resource, 'runners').map((object) => [`${resource} ${object.metadata.name}`, object]),
    ),
  )
}

const forbidden: Answer = {
  status: 403,
  headers: {},
  body: { kind: 'json', value: { kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'no', code: 403 } },
}

function isListOf({ method, path }: Request, plural: string | undefined): boolean {
  return method === 'GET' && path.endsWith(`/${plural}`)
}
