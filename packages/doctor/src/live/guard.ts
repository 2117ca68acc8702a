// Checks the conditions of a step again, right before it. Asks the same questions as the plan, of the current state of the cluster and the forge.
import type { Clock } from '@dayfly/kit/clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { ListOptions } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { isArcController } from '../arc/arc.ts'
import type { ForgeFacts, LiveFacts, ObjectFact } from '../facts.ts'
import { viewPods } from '../pods/pod-views.ts'
import { undeclaredVersion } from '../version-fact.ts'
import { type Cluster, indexCluster, ownersOf } from './cluster.ts'
import { scaleSetController } from './controller.ts'
import { find, findSame, type Place } from './perform.ts'
import { deployments, ephemeralRunners, factOf, jobs, leases, nodes, pods, secrets } from './resources.ts'
import { judgeBusy, namesOf, signsOfRunner } from './signs.ts'
import type { Guard, Registered, Target } from './step.ts'

export type Surroundings = Place & {
  readonly clock: Clock
  readonly account: ForgeAccount | undefined
}

/** Returns undefined if the condition still holds, else the objection. Rejects if the state cannot be read. */
export async function checkGuard(guard: Guard, around: Surroundings): Promise<string | undefined> {
  switch (guard.is) {
    case 'not-busy':
      return checkBusy(guard.target, around)
    case 'absent': {
      const { resource, name } = guard.target
      return (await awaitAbsence(guard.target, around)) ? undefined : `${resource.kind} ${name} is still there`
    }
    case 'node-gone':
      return (await isNodeThere(guard.node, around)) ? `the node ${guard.node} is back` : undefined
    case 'no-runner':
      return (await hasRunner(guard.name, around)) ? 'the cluster has a runner with its name again' : undefined
    case 'left-over':
      return checkLeftOver(guard.registration, around)
    case 'credentials-gone': {
      const { namespace, name } = guard.secret
      return (await isNamed({ resource: secrets, namespace, name }, around))
        ? `the Secret ${name} is back, so ARC's controller can go on`
        : undefined
    }
    case 'unnamed': {
      const { resource, name } = guard.target
      return (await isNamed(guard.target, around)) ? `${resource.kind} ${name} is there again` : undefined
    }
    case 'idle-at-forge':
      return checkIdle(guard, around)
    case 'controller-gone': {
      const controller = scaleSetController(clusterOf(await lookForController(around), around))
      if (controller.is === 'alive') return `ARC's controller is back: ${controller.because}`
      return controller.is === 'unknown'
        ? `it is not known whether ARC's controller is back: ${controller.because}`
        : undefined
    }
  }
}

async function lookForController(around: Surroundings): Promise<readonly ObjectFact[]> {
  const running = (kind: string) => (object: KubeObject) => (isArcController(kind, object) ? object : undefined)
  return [
    ...(await look(pods, around, { keep: running('Pod') })),
    ...(await look(deployments, around, { keep: running('Deployment') })),
    ...(await look(leases, around, { fieldSelector: 'metadata.namespace!=kube-node-lease' })),
    ...(await look(nodes, around, {})),
  ]
}

async function checkBusy(target: Target, around: Surroundings): Promise<string | undefined> {
  const seen = await lookAround(target, around)
  if (!seen) return 'it is gone'
  const verdict = judgeBusy(seen.cluster, seen.fact)
  return verdict.busy ? `it may be busy: ${verdict.because}` : undefined
}

type IdleGuard = Extract<Guard, { readonly is: 'idle-at-forge' }>

async function checkIdle({ target, registered }: IdleGuard, around: Surroundings): Promise<string | undefined> {
  const seen = await lookAround(target, around)
  if (!seen) return 'it is gone'
  const { arc, forge } = signsOfRunner(seen.cluster, seen.fact)
  if (arc !== 'no-job') return 'it may be busy: its status at ARC names a job'
  if (forge === (registered ? 'idle' : 'absent')) return undefined
  return registered ? 'it may be busy: the forge does not report it as idle' : 'the forge still has its registration'
}

/** Reads the fastest-changing state last, so that little time passes between it and the write. */
async function lookAround(target: Target, around: Surroundings) {
  const known = around.account ? await lookNear(target, around) : []
  const names = known.flatMap((one) => namesOf(one, one.object.kind === 'EphemeralRunner' ? one : undefined))
  const forge = await askByName(names, around)
  const seen = await lookAtNodes(around)
  const near = await lookNear(target, around)
  const [fact] = near
  return fact && { fact, cluster: clusterOf([...near, ...seen.objects], around, { ...seen, forge }) }
}

/** Returns the object, then its pods and its EphemeralRunner; nothing if the object is gone. */
async function lookNear(target: Target, around: Surroundings): Promise<readonly ObjectFact[]> {
  const now = await findSame(around, target)
  if (!now) return []
  const { resource, namespace, name, uid } = target
  const fact = factOf(resource, now)
  const near = [fact]
  const above = ownersOf(fact).flatMap((owner) => (owner.kind === 'EphemeralRunner' ? owner.name : []))
  for (const one of new Set(resource.kind === 'Pod' ? [...above, name] : above)) {
    const runner = await find(around, { resource: ephemeralRunners, namespace, name: one })
    if (runner) near.push(factOf(ephemeralRunners, runner))
  }
  if (resource.kind === 'Pod') return near
  const isNear = ({ metadata }: KubeObject) =>
    metadata.name === name || metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
  const keep = (pod: KubeObject) => (isNear(pod) ? pod : undefined)
  return [...near, ...(await look(pods, around, { namespace, keep }))]
}

/** Reads the nodes. Only a missing node speaks for a deletion, so a credential without the right to list nodes goes on without them. */
async function lookAtNodes(around: Surroundings) {
  try {
    return { objects: await look(nodes, around, {}), unreadable: {} }
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.kind !== 'forbidden') throw error
    return { objects: [], unreadable: { [nodes.kind]: { is: 'failed', why: error.message } as const } }
  }
}

/** Milliseconds. Garbage collection usually follows at once; a later run handles what takes longer. */
const absenceMsMax = 10_000
const absenceMsStep = 500

async function awaitAbsence(target: Omit<Target, 'resourceVersion'>, around: Surroundings): Promise<boolean> {
  const { clock, signal } = around
  for (const end = clock.now() + absenceMsMax; ; ) {
    const now = await findSame(around, target)
    if (!now) return true
    // Wait only for an object that is already being deleted.
    if (now.metadata.deletionTimestamp === undefined || clock.now() >= end) return false
    await clock.sleep(absenceMsStep, signal)
  }
}

/** Reads the metadata only: a Secret's data stays at the API server. */
async function isNamed(
  { resource, namespace, name }: Omit<Target, 'uid' | 'resourceVersion'>,
  around: Surroundings,
): Promise<boolean> {
  const keep = (object: KubeObject) => (object.metadata.name === name ? object : undefined)
  const options = { namespace, keep, fieldSelector: `metadata.name=${name}`, metadataOnly: true }
  return (await look(resource, around, options)).length > 0
}

async function isNodeThere(name: string, around: Surroundings): Promise<boolean> {
  return (await look(nodes, around, {})).some(({ object }) => object.name === name)
}

/** Returns false if the kind is not installed. */
async function hasRunner(name: string, around: Surroundings): Promise<boolean> {
  const keep = (object: KubeObject) => (object.metadata.name === name ? object : undefined)
  const named = { fieldSelector: `metadata.name=${name}`, keep }
  for (const kind of [pods, jobs]) if ((await look(kind, around, named)).length > 0) return true
  if ((await around.inquiry.versionsOf(ephemeralRunners, around.signal)).length === 0) return false
  return (await look(ephemeralRunners, around, named)).length > 0
}

async function checkLeftOver({ id, name }: Registered, { account, signal }: Surroundings): Promise<string | undefined> {
  if (!account) return 'the forge cannot be asked'
  const now = await account.find(name, signal, id)
  if (!now) return 'the forge no longer has it'
  if (now.id !== id) return 'another runner is registered under its name'
  if (now.busy !== false) return 'it may be busy: the forge does not report it as idle'
  return now.status === 'offline' || now.isCordoned ? undefined : 'its runner may be online'
}

/** Asks for each name separately: the list of a large account is expensive, and only these names matter. */
async function askByName(names: readonly string[], around: Surroundings): Promise<ForgeFacts | undefined> {
  const { account, signal } = around
  if (!account) return undefined
  const registrations: ForgeFacts['registrations'][number][] = []
  for (const name of new Set(names)) {
    const found = await account.find(name, signal)
    if (found) registrations.push(found)
  }
  return { url: account.url, removal: account.removal, registrations, sets: [] }
}

/** Rejects if the list fails. Then the step is not done. */
async function look(resource: Resource, around: Surroundings, options: ListOptions): Promise<readonly ObjectFact[]> {
  const { items } = await around.kubernetes.list(resource, { ...options, signal: around.signal })
  return items.map((item) => factOf(resource, item))
}

/** Makes a cluster of these few objects. It is complete for the question that is asked. */
function clusterOf(
  objects: readonly ObjectFact[],
  { clock }: Surroundings,
  known: Partial<Pick<LiveFacts, 'forge' | 'unreadable'>> = {},
): Cluster {
  const live: LiveFacts = {
    at: clock.now(),
    unreadable: known.unreadable ?? {},
    earlier: undefined,
    forge: known.forge,
    podGcThreshold: { value: 0, assumed: true },
  }
  return indexCluster({ version: undeclaredVersion, objects, pods: viewPods(objects), live })
}
