// Reads the old autoscaler: its Deployments, the registrations with its label, and the Jobs of its runners (docs/reference/bitbucket.md#s4).
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import type { AccountRegistration, ForgeAccount } from '@dayfly/runner-set/forge/account'
import { pods, secrets } from '../../resources.ts'
import { type Cluster, getOne, type Known, listAll, orUnknown } from '../read.ts'
import { type Held, heldOf, type Named } from './step.ts'

export const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
export const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }

/** The cleaner stops first: it can remove a busy runner that looks offline. */
const autoscaler = ['runner-controller-cleaner', 'runner-controller'] as const
/** The official autoscaler gives each of its runners this label. */
const runnerLabel = 'autoscaler.created'
const jobName = /^runner-([0-9a-f]{8}-[0-9a-f-]{27})$/
const podLabel = 'runner_uuid'
const secretName = /^runner-oauth-credentials-([0-9a-f]{8}-[0-9a-f-]{27})$/
/** The official autoscaler refuses a template whose Secret lacks this label. */
const secretLabel = 'runner_namespace'

/** A Job of one runner. `isOver`: each of its pods has a runner container that has ended. */
export type RunnerJob = Held & { readonly uuid: string; readonly isOver: boolean }

/** The credential of one runner. It belongs to nobody, so it stays when the Job goes. */
export type RunnerSecret = Named & { readonly uuid: string }

export type TakeoverFacts = {
  readonly deployments: readonly (Held & { readonly replicas: number })[]
  readonly runners: readonly AccountRegistration[]
  readonly jobs: readonly RunnerJob[]
  readonly secrets: Known<readonly RunnerSecret[]>
}

/** Reads the forge first: a Job or a Secret without a registration then is no runner that has just been made. */
export async function gatherTakeover(
  cluster: Cluster,
  namespace: string,
  account: ForgeAccount,
): Promise<TakeoverFacts> {
  const registrations = await account.registrations(cluster.signal)
  const found = await Promise.all(autoscaler.map((name) => getOne(cluster, deployments, { namespace, name })))
  const runnerPods = await listAll(cluster, pods, { labelSelector: podLabel })
  const options = { labelSelector: secretLabel, metadataOnly: true }
  const allSecrets = await orUnknown(listAll(cluster, secrets, options))
  const allJobs = await listAll(cluster, jobs, {})
  return {
    deployments: found.flatMap((deployment) =>
      deployment ? [{ ...heldOf(deployment), replicas: Number(valueAt(deployment, 'spec', 'replicas') ?? 1) }] : [],
    ),
    runners: registrations.filter(({ labels = [] }) => labels.includes(runnerLabel)),
    jobs: allJobs.flatMap((job) => readJob(job, runnerPods)),
    secrets: allSecrets.known ? { known: true, value: allSecrets.value.flatMap(readSecret) } : allSecrets,
  }
}

function readJob(job: KubeObject, runnerPods: readonly KubeObject[]): readonly RunnerJob[] {
  const uuid = jobName.exec(job.metadata.name)?.[1]
  if (uuid === undefined) return []
  const own = runnerPods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid))
  return [{ ...heldOf(job), uuid, isOver: own.length > 0 && own.every(hasEnded) }]
}

function readSecret({ metadata: { namespace = '', name } }: KubeObject): readonly RunnerSecret[] {
  const uuid = secretName.exec(name)?.[1]
  return uuid === undefined ? [] : [{ namespace, name, uuid }]
}

/** A Job restarts a runner container that failed, so only one that ended well has ended finally. */
function hasEnded(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return true
  const runner = listAt(pod, 'status', 'containerStatuses').find((status) => textAt(status, 'name') === 'runner')
  return valueAt(runner, 'state', 'terminated', 'exitCode') === 0
}
