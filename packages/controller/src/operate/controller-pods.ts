// The pods of the controller. They are read only if no process leads, because a leader proves that one runs.
import { listAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { controllerLabel } from '@dayfly/runner-set/model/api'
import type { PodObject } from '../observe/pod-object.ts'
import { pods } from '../resources.ts'
import type { Leader, LeaseChoice } from './leader.ts'
import type { Overview } from './overview.ts'
import { type Cluster, type Known, listAll, orUnknown } from './read.ts'

/** `running`: a pod runs and does not lead. `stopped`: none runs. `sentence` completes "Controller:". */
export type ControllerPods = { readonly is: 'running' | 'stopped'; readonly sentence: string; readonly next: string }

/** Returns undefined if a process leads, or if that is not known. @param namespace the one that the controller must serve; undefined for any */
export async function readControllerPods(
  cluster: Cluster,
  { leaders }: Overview,
  namespace: string | undefined,
  choice: LeaseChoice,
): Promise<Known<ControllerPods> | undefined> {
  if (!leaders.known || leaders.value.some(({ is }) => is === 'leading')) return undefined
  const [lease] = leaders.value
  const where = lease?.lease.namespace ?? choice.namespace
  const found = await orUnknown(findPods(cluster, where, lease))
  if (!found.known) return found
  const serving = found.value.filter((pod) => mayServe(pod, namespace))
  return { known: true, value: judge(serving, lease, { where, namespace }) }
}

/** The chart labels the pods. A pod without the label is found by its name, with which the holder of the Lease begins. */
async function findPods(
  cluster: Cluster,
  namespace: string | undefined,
  lease: Leader | undefined,
): Promise<readonly KubeObject[]> {
  const labelled = await listAll(cluster, pods, { namespace, labelSelector: controllerLabel })
  const [name = ''] = lease?.holder.split('_') ?? []
  if (labelled.length > 0 || name === '') return labelled
  return listAll(cluster, pods, { namespace, fieldSelector: `metadata.name=${name}` })
}

/** A controller without the option serves all namespaces. */
function mayServe(pod: KubeObject, namespace: string | undefined): boolean {
  const args = listAt(pod, 'spec', 'containers').flatMap((container) => listAt(container, 'args').map(String))
  const served = args.find((arg) => arg.startsWith('--namespace='))
  return namespace === undefined || served === undefined || served === `--namespace=${namespace}`
}

function judge(
  found: readonly KubeObject[],
  lease: Leader | undefined,
  { where, namespace }: { readonly where: string | undefined; readonly namespace: string | undefined },
): ControllerPods {
  const [first] = found
  const running = found.find(isRunning)
  if (running) {
    const { place, options } = namesOf(running)
    return { is: 'running', sentence: `the pod ${place} runs and does not lead.`, next: `kubectl logs ${options}` }
  }
  if (first) {
    const { place, options } = namesOf(first)
    const sentence = `no pod runs. ${place}: ${whyNotRunning(first as unknown as PodObject)}`
    return { is: 'stopped', sentence, next: `kubectl describe pod ${options}` }
  }
  const start = 'Install the controller, or start its Deployment (docs/guide/install.md).'
  const scale = lease && `kubectl scale deployment/${lease.lease.name} --replicas=2 -n ${lease.lease.namespace}`
  const place = where === undefined ? '' : ` in namespace ${where}`
  const serving = namespace === undefined ? '' : ` that serves ${namespace}`
  const sentence = `no pod exists${place}${serving}.`
  return { is: 'stopped', sentence, next: scale ?? start }
}

function namesOf({ metadata: { name, namespace } }: KubeObject) {
  return { place: `${namespace}/${name}`, options: `${name} -n ${namespace}` }
}

function isRunning(object: KubeObject): boolean {
  const { metadata, status } = object as unknown as PodObject
  if (metadata.deletionTimestamp !== undefined) return false
  return status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true
}

function whyNotRunning({ metadata, status }: PodObject): string {
  if (metadata.deletionTimestamp !== undefined) return 'it ends.'
  const state = status?.containerStatuses?.[0]?.state
  const held = status?.conditions?.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False')
  const { reason, message } = state?.waiting ?? state?.terminated ?? held ?? status ?? {}
  const why = [reason, message].filter(Boolean).join(': ') || `phase ${status?.phase ?? 'unknown'}`
  return why.endsWith('.') ? why : `${why}.`
}
