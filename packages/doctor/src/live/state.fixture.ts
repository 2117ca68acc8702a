// Random states of a cluster with runners, some of them busy. The construction determines which are busy, not the doctor's own reading.
import type { Registry } from '@dayfly/cluster/api/registry'
import type { Random } from '@dayfly/kit/random'
import type { RegistrationFact } from '../facts.ts'
import { accountUrl } from './account.fixture.ts'
import {
  arcKinds,
  createArc,
  createPod,
  type DoctorCluster,
  ended,
  ownedBy,
  running,
  setPodStatus,
  waiting,
} from './doctor-cluster.fixture.ts'

export type Runner = {
  readonly name: string
  /** Every object whose deletion would end its job. */
  readonly objects: readonly (readonly [resource: string, name: string])[]
  readonly busy: boolean
  /** Its container runs, and the forge, asked, has it idle or not at all. Only an operator's own confirmation ends it. */
  readonly runsIdle: boolean
  /** It can get no job any more, although ARC's status may name one. */
  readonly isOver: boolean
  /** The pod has a container that may start between plan and repair. */
  readonly mayStart: boolean
}

export type State = {
  readonly runners: readonly Runner[]
  /** The registrations at the account of ARC's runners, if it was asked. */
  readonly registrations: readonly RegistrationFact[] | undefined
}

const tracking = 'batch.kubernetes.io/job-tracking'

export function buildState(cluster: DoctorCluster, random: Random): State {
  const { registry } = cluster
  const asked = chance(random, 0.4)
  registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  if (chance(random, 0.2)) createController(registry)
  const set = chance(random, 0.7) ? createSet(registry) : undefined
  const runners = Array.from({ length: 1 + pick(random, 5) }, (_, index) =>
    createRunner(cluster, random, { name: `r${index}`, set, asked }),
  )
  const registrations = runners.flatMap(({ name, forge }) =>
    forge ? [{ ...forge, id: name, name, set: undefined, createdAt: undefined }] : [],
  )
  if (set && chance(random, 0.5)) deleteSet(registry, random)
  return { runners, registrations: asked ? registrations : undefined }
}

type Wish = { readonly name: string; readonly set: Owner | undefined; readonly asked: boolean }

function createRunner(cluster: DoctorCluster, random: Random, { name, set, asked }: Wish) {
  const { registry, clock } = cluster
  const kind = pickOf(random, ['bare', 'job', ...(set ? ['arc', 'arc'] : [])])
  const objects: [string, string][] = []
  let owner: Owner | undefined
  let hasJob = false
  let isLost = false
  if (kind === 'job') {
    owner = createJob(registry, random, name)
    objects.push(['jobs.batch', name])
  } else if (kind === 'arc' && set) {
    hasJob = chance(random, 0.3)
    owner = createArcRunner(registry, random, { name, set, hasJob })
    objects.push([arcKinds.EphemeralRunner, name])
  }
  const look = pickOf(random, [
    'running',
    'ended',
    'ended',
    'failed',
    'waiting',
    'over',
    ...(kind === 'arc' ? ['none'] : []),
  ])
  if (look !== 'none') {
    const states = {
      running: running(clock),
      ended: ended(clock),
      failed: ended(clock, 600_000, 1),
      waiting,
      over: ended(clock),
    }
    isLost = chance(random, 0.15)
    const node = isLost ? 'node-gone' : 'node-1'
    const finalizers = kind === 'job' && chance(random, 0.5) ? [tracking] : []
    const phase = look === 'over' ? 'Succeeded' : look === 'waiting' ? 'Pending' : 'Running'
    const ownerReferences = owner && chance(random, 0.9) ? ownedBy(owner) : []
    createPod(
      registry,
      { name, finalizers, ownerReferences },
      {
        phase,
        runner: states[look as keyof typeof states],
        docker: look === 'over' ? ended(clock) : look === 'waiting' ? waiting : running(clock),
        restartPolicy: kind === 'job' && chance(random, 0.5) ? 'OnFailure' : 'Never',
        node,
      },
    )
    objects.push(['pods', name])
    if (chance(random, 0.3)) registry.delete('pods', 'runners', name)
    if (ownerReferences.length > 0 && kind === 'job' && chance(random, 0.2))
      registry.delete('jobs.batch', 'runners', name)
  }
  const forgeBusy = chance(random, 0.2)
  const forge = chance(random, 0.7)
    ? { busy: forgeBusy, status: pickOf(random, ['online', 'offline'] as const) }
    : undefined
  // If a node is gone, only the forge can confirm that its runner is gone, too.
  const mayRun = look === 'running' && !(isLost && asked && forge === undefined)
  // The container ended or is lost, and the forge, asked, has no such runner: no job runs, and none can come. ARC never clears a job.
  const isOver = asked && forge === undefined && look !== 'waiting' && (isLost || look !== 'running')
  const busy = mayRun || (hasJob && !isOver) || (asked && forge !== undefined && forgeBusy)
  const runsIdle = kind === 'arc' && look === 'running' && !hasJob && asked && !(forge !== undefined && forgeBusy)
  return { name, objects, busy, runsIdle, isOver, mayStart: look === 'waiting' && !isLost, forge }
}

type Owner = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

function createJob(registry: Registry, random: Random, name: string): Owner {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'runner', image: 'x' }] } }
  const metadata = { name, namespace: 'runners' }
  return registry.create('jobs.batch', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { backoffLimit: pickOf(random, [0, 6]), template },
  })
}

function createArcRunner(
  registry: Registry,
  random: Random,
  { name, set, hasJob }: { readonly name: string; readonly set: Owner; readonly hasJob: boolean },
): Owner {
  const status = {
    phase: pickOf(random, ['Pending', 'Running', 'Failed']),
    runnerId: 1,
    runnerName: name,
    ...(hasJob ? { jobId: 'build' } : {}),
  }
  const domain = 'ephemeralrunner.actions.github.com'
  const finalizers = [`${domain}/finalizer`, `${domain}/runner-registration-finalizer`]
  const spec = { githubConfigUrl: accountUrl }
  return createArc(registry, 'EphemeralRunner', { name, finalizers, ownerReferences: ownedBy(set) }, { spec, status })
}

function createSet(registry: Registry): Owner {
  const finalizer = (kind: string) => [`${kind}.actions.github.com/finalizer`]
  const root = createArc(registry, 'AutoscalingRunnerSet', {
    name: 'set',
    finalizers: finalizer('autoscalingrunnerset'),
  })
  const labels = { 'actions.github.com/scale-set-name': 'set' }
  const metadata = { name: 'sa', namespace: 'runners', labels, finalizers: ['actions.github.com/cleanup-protection'] }
  registry.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  const below = { name: 'ers', finalizers: finalizer('ephemeralrunnerset'), ownerReferences: ownedBy(root) }
  return createArc(registry, 'EphemeralRunnerSet', below)
}

function deleteSet(registry: Registry, random: Random): void {
  if (chance(random, 0.8)) registry.delete(arcKinds.AutoscalingRunnerSet, 'runners', 'set')
  if (chance(random, 0.6)) registry.delete(arcKinds.EphemeralRunnerSet, 'runners', 'ers')
  if (chance(random, 0.6)) registry.delete('serviceaccounts', 'runners', 'sa')
}

export function createController(registry: Registry): void {
  const metadata = {
    name: 'arc',
    namespace: 'arc-system',
    labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' },
  }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'manager', image: 'x' }] } }
  const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template }
  registry.create('deployments.apps', { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec })
}

/** Starts the waiting runners between plan and repair. */
export function startWaiting({ registry, clock }: DoctorCluster, { runners }: State): void {
  for (const { name } of runners.filter(({ mayStart }) => mayStart)) {
    if (!registry.get('pods', 'runners', name)) continue
    const look = { phase: 'Running', runner: running(clock), docker: running(clock) }
    setPodStatus(registry, { namespace: 'runners', name }, look)
  }
}

function pick(random: Random, below: number): number {
  return Math.floor(random() * below)
}

export function pickOf<T>(random: Random, items: readonly T[]): T {
  const item = items[pick(random, items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

export function chance(random: Random, share: number): boolean {
  return random() < share
}
