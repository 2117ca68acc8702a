// Reads the old autoscaler: its Deployments, the registrations with its label, and the Jobs of its runners (docs/reference/bitbucket.md#s4).

import { pods } from '../../controller/resources.ts'
import type { AccountRegistration, ForgeAccount } from '../../forge/account.ts'
import type { KubeObject, Resource } from '../../kubernetes/types.ts'
import { listAt, textAt, valueAt } from '../../lib/read-json.ts'
import { getOne, listAll, type Place } from '../read.ts'
import type { Held } from './step.ts'

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

/** A Job of one runner. `isOver`: each of its pods has a runner container that has ended. */
export type RunnerJob = Held & { readonly uuid: string; readonly isOver: boolean }

export type TakeoverFacts = {
  readonly deployments: readonly (Held & { readonly replicas: number })[]
  readonly runners: readonly AccountRegistration[]
  readonly jobs: readonly RunnerJob[]
}

/** Reads the forge first: a Job without a registration then is no runner that has just been made. */
export async function gatherTakeover(place: Place, namespace: string, account: ForgeAccount): Promise<TakeoverFacts> {
  const registrations = await account.registrations(place.signal)
  const found = await Promise.all(autoscaler.map((name) => getOne(place, deployments, { namespace, name })))
  const runnerPods = await listAll(place, pods, { labelSelector: podLabel })
  const allJobs = await listAll(place, jobs, {})
  return {
    deployments: found.flatMap((deployment) =>
      deployment ? [{ ...held(deployment), replicas: Number(valueAt(deployment, 'spec', 'replicas') ?? 1) }] : [],
    ),
    runners: registrations.filter(({ labels = [] }) => labels.includes(runnerLabel)),
    jobs: allJobs.flatMap((job) => readJob(job, runnerPods)),
  }
}

function readJob(job: KubeObject, runnerPods: readonly KubeObject[]): readonly RunnerJob[] {
  const uuid = jobName.exec(job.metadata.name)?.[1]
  if (uuid === undefined) return []
  const own = runnerPods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid))
  return [{ ...held(job), uuid, isOver: own.length > 0 && own.every(hasEnded) }]
}

/** A Job restarts a runner container that failed, so only one that ended well has ended finally. */
function hasEnded(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return true
  const runner = listAt(pod, 'status', 'containerStatuses').find((status) => textAt(status, 'name') === 'runner')
  return valueAt(runner, 'state', 'terminated', 'exitCode') === 0
}

function held({ metadata }: KubeObject): Held {
  return { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' }
}
