// Carries out a confirmed plan, step by step. Each target is verified again right before its step; the API server tests UID and version.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { leases } from '@dayfly/kubernetes/lease-record'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { PodObject } from '../../observe/pod-object.ts'
import { pods, runnerSets } from '../../resources.ts'
import { AccessFailure, type Cluster, getOne } from '../read.ts'
import { kept, type Outcome, type StepResult, takeStep } from '../step-result.ts'
import { isOutOfWork } from './forge-leftovers.ts'
import { isOver } from './pod-leftovers.ts'
import type { SweepStep, Target } from './step.ts'

type Result = StepResult<SweepStep>

export type Sweeper = Cluster & { readonly account: ForgeAccount | undefined }

/** The signal stops the sweep between two steps. */
export async function performSweep(
  sweeper: Sweeper,
  steps: readonly SweepStep[],
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const step of steps) {
    const result = { step, ...(await takeStep(sweeper.signal, () => act(sweeper, step))) }
    report(result)
    results.push(result)
  }
  return results
}

async function act(sweeper: Sweeper, step: SweepStep): Promise<Outcome> {
  switch (step.does) {
    case 'delete-pod':
      return deletePod(sweeper, step)
    case 'delete-secret': {
      const { pod, target } = step
      const now = await getOne(sweeper, pods, { namespace: target.namespace, name: pod.name })
      if (now && (pod.uid === '' || now.metadata.uid === pod.uid)) return kept('its pod exists')
      return remove(sweeper, target)
    }
    case 'delete-lease': {
      const now = await sweeper.kubernetes.list(runnerSets).catch(ifUnserved)
      return now.items.length > 0 ? kept('a RunnerSet exists again') : remove(sweeper, step.target)
    }
    case 'deregister':
      return deregister(sweeper, step)
    case 'remove-set':
      return removeSet(sweeper, step)
  }
}

/** A definition that is gone has no objects. Only a path that the API server does not know proves that, and the deletion tests the version. */
function ifUnserved(error: unknown): { readonly items: readonly KubeObject[] } {
  if (error instanceof KubernetesError && error.kind === 'not-found') return { items: [] }
  throw error
}

async function deletePod(sweeper: Sweeper, step: Extract<SweepStep, { does: 'delete-pod' }>): Promise<Outcome> {
  const { target, owner, deregisters } = step
  const now = await getOne(sweeper, pods, target)
  const changed = differs(now, target)
  if (changed) return changed
  if (owner && (await exists(sweeper, runnerSets, { namespace: target.namespace, ...owner })))
    return kept('its RunnerSet exists')
  if (deregisters === undefined)
    return now && isOver(now as unknown as PodObject) ? remove(sweeper, target) : kept('its runner has not ended')
  const { account } = sweeper
  if (!account) return kept('the forge cannot be asked')
  const left = await account.find(target.name)
  if (left && left.id !== deregisters) return kept('the forge has another registration of this name')
  if (left?.busy === true) return kept('the forge says that it is busy')
  // The forge refuses a busy runner: a success proves that no job can reach it any more.
  const answer = await account.deregister(deregisters)
  if (answer === 'busy') return kept('the forge says that it is busy')
  if (answer === 'absent') return kept('the forge no longer has its registration, so it may have a job')
  return remove(sweeper, target, false)
}

/** A RunnerSet whose definition is gone does not exist. */
async function exists(
  sweeper: Sweeper,
  resource: Resource,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<boolean> {
  try {
    return (await getOne(sweeper, resource, { namespace, name }))?.metadata.uid === uid
  } catch (error) {
    if (error instanceof AccessFailure && error.error.kind === 'not-found') return false
    throw error
  }
}

async function deregister(
  { account, ...cluster }: Sweeper,
  { id, name }: Extract<SweepStep, { does: 'deregister' }>,
): Promise<Outcome> {
  if (!account) return kept('the forge cannot be asked')
  const now = await account.find(name, undefined, id)
  if (!now) return { is: 'done', why: 'the forge no longer has it' }
  if (now.id !== id) return kept('the forge has another registration of this name')
  if (now.busy !== false || !isOutOfWork(now)) return kept('it is not offline and idle any more')
  const { items } = await cluster.kubernetes.list(pods, { fieldSelector: `metadata.name=${name}` })
  if (items.length > 0) return kept('the cluster has a pod of this name again')
  const answer = await account.deregister(id)
  return answer === 'busy' ? kept('the forge says that it is busy') : { is: 'done', why: 'the forge removed it' }
}

async function removeSet(
  { account }: Sweeper,
  { id, name }: Extract<SweepStep, { does: 'remove-set' }>,
): Promise<Outcome> {
  if (!account) return kept('the forge cannot be asked')
  const now = await account.set(id)
  if (!now) return { is: 'done', why: 'the forge no longer has it' }
  if (now.name !== name) return kept(`it is now named ${now.name}`)
  if (now.assignedJobs !== 0) return kept('jobs are assigned to it')
  if (now.registeredRunners !== 0) return kept('it still has runners')
  await account.removeSet(id)
  return { is: 'done', why: 'the forge removed it' }
}

/** @param exact whether the version must be the one of the plan; a deregistration may change the pod in between */
async function remove(sweeper: Sweeper, target: Target, exact = true): Promise<Outcome> {
  const { resource, namespace, name, uid, resourceVersion } = target
  const now = await getOne(sweeper, resource, { namespace, name })
  const changed = exact ? differs(now, target) : undefined
  if (changed) return changed
  const preconditions = exact ? { uid, resourceVersion } : { uid }
  const answer = await sweeper.kubernetes.delete(
    resource,
    { namespace, name },
    { preconditions, propagationPolicy: 'Background' },
  )
  return { is: 'done', why: answer === 'deleting' ? 'its deletion is under way' : 'it is gone' }
}

function differs(now: KubeObject | undefined, { uid, resourceVersion, resource }: Target): Outcome | undefined {
  if (!now) return { is: 'done', why: 'it was gone already' }
  if (now.metadata.uid !== uid) return kept('another object has its name now')
  if (now.metadata.resourceVersion === resourceVersion) return undefined
  return kept(resource.plural === leases.plural ? 'a controller has taken it' : 'it has changed since the plan')
}
