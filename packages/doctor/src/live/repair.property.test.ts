// Random cluster states with busy runners, and every finding on every object.
// No busy runner is deleted, no step lacks preconditions, and no unread object counts as absent.
import type { StoredObject } from '@dayfly/cluster/store/object'
import { isFull } from '@dayfly/kit/full.fixture'
import type { Answer, Request } from '@dayfly/kit/http'
import { type Random, seededRandom } from '@dayfly/kit/random'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { expect, test } from 'vitest'
import type { Facts } from '../facts.ts'
import { accountOf } from './account.fixture.ts'
import { disturbanceOf } from './disturbance.fixture.ts'
import { arcKinds, type DoctorCluster, openDoctorCluster } from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { type Plan, planRepair } from './plan.ts'
import { type PlanOptions, planDefaults } from './plan-options.ts'
import type { Found } from './proposal.ts'
import { type RepairEntry, repair } from './repair.ts'
import { buildState, chance, pickOf, type State, startWaiting } from './state.fixture.ts'

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
const deniable = [
  'pods',
  'jobs',
  'nodes',
  'deployments',
  'ephemeralrunners',
  'ephemeralrunnersets',
  'autoscalinglisteners',
  'autoscalingrunnersets',
  'leases',
]

const states = isFull ? 5_000 : 250

test(`holds in ${states} random states`, { timeout: 300_000 }, async () => {
  const totals = { done: 0, busy: 0, disturbed: 0, saved: 0 }
  for (let seed = 1; seed <= states; seed++) {
    try {
      const run = await tryState(seed)
      totals.done += run.entries.filter(isWritten).length
      totals.busy += run.busy
      if (run.disturbed) totals.disturbed++
      totals.saved += run.entries.filter(({ why }) => /it may be busy|it has changed|another object/.test(why)).length
      // The same cluster and the same plan must give exactly the same outcome again.
      if (seed % 20 === 0) expect(await tryState(seed)).toEqual(run)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  // Without these counts, the property would hold for a doctor that does nothing, and for states without busy runners.
  expect(totals.done).toBeGreaterThan(states / 2)
  expect(totals.busy).toBeGreaterThan(0.6 * states)
  expect(totals.disturbed).toBeGreaterThan(0.2 * states)
  expect(totals.saved).toBeGreaterThan(0.06 * states)
})

type Ran = {
  readonly entries: readonly RepairEntry[]
  readonly busy: number
  readonly disturbed: boolean
  readonly after: Snapshot
}

async function tryState(seed: number): Promise<Ran> {
  const random = seededRandom(seed)
  const denied = chance(random, 0.3) ? pickOf(random, deniable) : undefined
  let answer: (request: Request) => Answer | undefined = (request) =>
    isListOf(request, denied) ? forbidden : undefined
  const cluster = openDoctorCluster((request) => answer(request))
  const state = buildState(cluster, random)
  const removal = chance(random, 0.5) ? 'refuses-busy' : 'unguarded'
  const account = state.registrations && accountOf([...state.registrations], removal)
  const facts = await gatherLive({ ...cluster, account })
  const idleRunnersEnd = chance(random, 0.5)
  const options: PlanOptions = { ...planDefaults, restoreDeclined: chance(random, 0.7), idleRunnersEnd }
  const findings = everyFinding(facts)
  const plan = planRepair(facts, findings, options)
  expect(planRepair(facts, findings, options)).toEqual(plan)
  checkUnread(plan, denied)
  for (const { guards } of plan.steps) expect(guards.length).toBeGreaterThan(0)
  const between = chance(random, 0.2)
  if (between) startWaiting(cluster, state)
  const before = snapshot(cluster)
  cluster.requests.length = 0
  const disturber = between ? undefined : planDisturbance(cluster, { state, plan, random })
  answer = (request) => disturber?.beforeRequest(request)
  const entries = await carryOut(cluster, account, plan)
  const after = snapshot(cluster)
  const disturbed = disturber?.begun() ?? []
  checkRequests(cluster, entries, plan)
  const mayEndIdle = options.idleRunnersEnd && options.restoreDeclined && removal === 'refuses-busy'
  const kept = state.runners.map((runner) => ({ ...runner, busy: runner.busy && !(mayEndIdle && runner.runsIdle) }))
  checkBusy({ ...state, runners: kept }, before, after, { between, disturbed })
  checkUntouched(disturbed, after)
  checkOutcome({ plan, entries, before, after, disturbed })
  // Without a change in between, every planned step is done. State that was hidden from the plan may still prevent a step.
  if (!between && disturbed.length === 0 && denied === undefined)
    expect(entries.filter((entry) => entry.outcome !== 'done' && !isLeftOpen(entry))).toEqual([])
  const busy = state.runners.filter((runner) => runner.busy).length
  return { entries, busy, disturbed: disturbed.length > 0, after }
}

type Busied = readonly (readonly [resource: string, object: StoredObject])[]

/** At a random moment of the repair, a runner (mostly one of the plan's) becomes busy. */
function planDisturbance(
  cluster: DoctorCluster,
  { state, plan, random }: { readonly state: State; readonly plan: Plan; readonly random: Random },
) {
  if (plan.steps.length === 0 || chance(random, 0.4)) return undefined
  const names = new Set(plan.steps.map(({ action }) => (action.do === 'deregister' ? '' : action.target.name)))
  const wanted = state.runners.filter(({ name }) => names.has(name))
  const runner = pickOf(random, wanted.length > 0 && chance(random, 0.9) ? wanted : state.runners)
  let left = Math.floor(random() * (6 * plan.steps.length))
  let busied: Busied = []
  return {
    begun: () => busied,
    beforeRequest: (request: Request): undefined => {
      if (left-- > 0 || busied.length > 0) return
      const disturbance = disturbanceOf(cluster, runner, random)
      // The moment between the last check of a pod and the write on its owner remains. A write on the changed object itself is refused.
      if (!disturbance || (isRealWrite(request) && !request.path.endsWith(`/${disturbance.changes}`))) return
      busied = disturbance.begin()
    },
  }
}

function isRealWrite({ method, query, body }: Request): boolean {
  const options = body.kind === 'json' ? (body.value as { readonly dryRun?: unknown }) : {}
  return method !== 'GET' && !query?.['dryRun'] && !options.dryRun
}

/** After a runner became busy, nothing of it was removed. */
function checkUntouched(busied: Busied, after: Snapshot): void {
  for (const [resource, was] of busied) {
    const { name, uid, deletionTimestamp, finalizers } = was.metadata
    const now = after.get(`${resource} ${name}`)?.metadata
    expect([now?.uid, now?.deletionTimestamp, now?.finalizers], `${resource} ${name}`).toEqual([
      uid,
      deletionTimestamp,
      finalizers,
    ])
  }
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

/** Every write names the object by uid and version, follows a dry run, and removes at most one finalizer. */
function checkRequests({ requests }: DoctorCluster, entries: readonly RepairEntry[], { steps }: Plan): void {
  const dry = new Set<string>()
  let recorded = 0
  for (const request of requests.filter(({ method }) => method !== 'GET')) {
    const { method, path, body } = request
    const value = body.kind === 'json' ? body.value : undefined
    if (method === 'POST') {
      expect(value).toMatchObject({ kind: 'Event', source: { component: 'dayfly-doctor' } })
      recorded++
      continue
    }
    const key =
      method === 'DELETE'
        ? `DELETE ${path} ${testsOfDeletion(value)}`
        : `${method} ${path} ${testsOfPatch(method, value)}`
    if (isRealWrite(request)) expect(dry.delete(key), key).toBe(true)
    else dry.add(key)
  }
  const done = entries.filter((entry) => isWritten(entry) && steps[entry.step - 1]?.action.do !== 'deregister')
  expect(recorded).toBe(done.length)
}

/** No kubelet ends the pods of these states, and ARC's controller does not act on its runners. */
function isLeftOpen({ outcome, action, rule }: RepairEntry): boolean {
  return outcome === 'begun' && /^delete (Pod|EphemeralRunner) /.test(action) && rule !== 'uninstall-stuck'
}

/** Whether the doctor changed something. */
function isWritten({ outcome, why }: RepairEntry): boolean {
  return (outcome === 'done' || outcome === 'begun') && why !== 'it was already gone'
}

function testsOfDeletion(value: unknown): string {
  const { preconditions } = value as { readonly preconditions?: { uid?: string; resourceVersion?: string } }
  expect(preconditions?.uid).toBeTruthy()
  expect(preconditions?.resourceVersion).toBeTruthy()
  return JSON.stringify(preconditions)
}

function testsOfPatch(method: string, value: unknown): string {
  expect(method).toBe('PATCH')
  const operations = value as readonly { readonly op: string; readonly path: string }[]
  expect(operations.map(({ op }) => op)).toEqual(['test', 'test', 'test', 'remove'])
  expect(operations.map((one) => one.path).slice(0, 2)).toEqual(['/metadata/uid', '/metadata/resourceVersion'])
  expect(operations[2]?.path).toMatch(/^\/metadata\/finalizers\/\d+$/)
  expect(operations[3]?.path).toBe(operations[2]?.path)
  return JSON.stringify(operations)
}

function checkBusy(
  { runners }: State,
  before: Snapshot,
  after: Snapshot,
  { between, disturbed }: { readonly between: boolean; readonly disturbed: Busied },
): void {
  const busy = runners.filter((runner) => runner.busy || (between && runner.mayStart))
  const others = keysOf(disturbed)
  const kept = busy.flatMap(({ objects }) =>
    objects.flatMap(([resource, name]) => {
      const key = `${resource} ${name}`
      const was = before.get(key)
      return was && !others.has(key) ? [[resource, was] as const] : []
    }),
  )
  checkUntouched(kept, after)
}

function keysOf(busied: Busied): ReadonlySet<string> {
  return new Set(busied.map(([resource, { metadata }]) => `${resource} ${metadata.name}`))
}

/** The log matches the state of the cluster, and nothing else changed. */
function checkOutcome(run: {
  readonly plan: Plan
  readonly entries: readonly RepairEntry[]
  readonly before: Snapshot
  readonly after: Snapshot
  readonly disturbed: Busied
}): void {
  const touched = new Set<string>()
  const others = keysOf(run.disturbed)
  for (const { outcome, step } of run.entries) {
    const action = run.plan.steps[step - 1]?.action
    expect(['done', 'begun', 'aborted', 'skipped']).toContain(outcome)
    if ((outcome !== 'done' && outcome !== 'begun') || !action || action.do === 'deregister') continue
    const { uid } = action.target
    touched.add(uid)
    const now = [...run.after.values()].find(({ metadata }) => metadata.uid === uid)
    if (action.do === 'delete') expect(now === undefined || now.metadata.deletionTimestamp !== undefined).toBe(true)
    else expect(now?.metadata.finalizers ?? []).not.toContain(action.finalizer)
  }
  for (const [key, was] of run.before) {
    if (!touched.has(was.metadata.uid) && !others.has(key)) expect(run.after.get(key), key).toEqual(was)
  }
  expect([...run.after.keys()].filter((key) => !run.before.has(key) && !others.has(key))).toEqual([])
}

/** Returns the steps that rely on an absent object of a kind that could not be read. */
function checkUnread({ steps }: Plan, denied: string | undefined): void {
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
    leases: frees,
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
