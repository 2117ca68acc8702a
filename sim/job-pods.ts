// Jobs in pods of their own: the runner makes the pod as the hooks of GitHub's image do, and removes it before it ends.

import type { Registry } from '@dayfly/cluster/api/registry'
import { ignoreRefusal } from '@dayfly/cluster/controllers/ignore-refusal'
import type { Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import { defaultJobPods } from '@dayfly/runner-set/model/runner-set'

export type JobPodsOptions = {
  readonly clock: VirtualClock
  readonly random: Random
  readonly registry: () => Registry
  /** The names of runners that something outside Dayfly ended. */
  readonly harmed: Set<string>
}

/** The label that names the runner of a job's pod. */
export const runnerLabel = 'runner-pod'
export const jobImage = 'job'
/** It waits for the steps of its job, and never ends by itself. */
export const jobScript: Script = { onTerm: { afterMs: 200, exitCode: 143 } }

/** With the longest job, it is shorter than GitHub's patience with a runner that reports nothing. */
const startMs = 25_000
const lookMs = 1_000
/** A runner whose hooks fail leaves the pod of its job. */
const leaves = 0.1

/**
 * Runs a job in a pod, and returns whether it succeeded. A job fails if its pod cannot be made, does not start, or goes away.
 *  @param uid the pod of the runner  @param isOver whether the runner has ended: it leaves everything as it is then
 */
export async function runInPod(
  { clock, random, registry, harmed }: JobPodsOptions,
  {
    uid,
    name,
    ms,
    isOver,
  }: { readonly uid: string; readonly name: string; readonly ms: number; readonly isOver: () => boolean },
): Promise<boolean> {
  const store = registry()
  const namespace = store.list('pods').find(({ metadata }) => metadata.uid === uid)?.metadata.namespace
  if (namespace === undefined) return false
  const job = { namespace, name: `${name}-workflow` }
  const secret = `${name.slice(0, 47)}-secret-${randomInteger(random, 10_000, 99_999)}`
  await clock.sleep(randomInteger(random, 20, 1_000))
  if (isOver()) return false
  ignoreRefusal(() => make(store, { ...job, runner: name, secret }))
  // A quota may refuse the pod: then the hooks end the job.
  const isMade = store.get('pods', namespace, job.name) !== undefined
  const phase = () => {
    const pod = store.get('pods', namespace, job.name)
    return pod?.metadata.deletionTimestamp === undefined ? Object(pod?.['status']).phase : undefined
  }
  for (let waited = 0; waited < startMs && !isOver() && phase() === 'Pending'; waited += lookMs)
    await clock.sleep(lookMs)
  if (phase() === 'Running') await clock.sleep(ms)
  if (isOver()) return false
  const succeeded = phase() === 'Running'
  if (!succeeded) harmed.add(name)
  if (!isMade || random() >= leaves) {
    ignoreRefusal(() => store.delete('pods', namespace, job.name))
    ignoreRefusal(() => store.delete('secrets', namespace, secret))
  }
  return succeeded
}

/** Returns the account with which runners make the pods of their jobs. */
export function jobPodsAccount(namespace: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: defaultJobPods.serviceAccount, namespace } }
}

type Job = Readonly<Record<'namespace' | 'name' | 'runner' | 'secret', string>>

function make(store: Registry, { namespace, name, runner, secret }: Job): void {
  const labels = { [runnerLabel]: runner }
  store.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace, labels } })
  const spec = {
    restartPolicy: 'Never',
    containers: [{ name: 'job', image: jobImage }],
    imagePullSecrets: [{ name: secret }],
  }
  store.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec })
}
