// Reads the cluster's Events to find why runners do not start or end: the one live read, and only for runners that are held up.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, ObjectName } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import type { RunnerAction } from '@dayfly/runner-set/model/action'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { explainPod } from '../observe/explain.ts'
import type { EventObject, PodObject } from '../observe/pod-object.ts'
import { events, pods } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

export type HeldUp = Extract<RunnerAction, { kind: 'explain-runner' }>
type Explained = Extract<Outcome, { action: 'explain-runner' }>

/** From this number on, one list of the namespace costs less than a request for each runner: a lost node holds up thousands at once. */
const togetherFrom = 4

/** Returns an outcome for each runner. The watch reports a pod that is gone meanwhile. */
export async function explainRunners(context: ActContext, heldUp: readonly HeldUp[]): Promise<readonly Explained[]> {
  const outcomes = (result: (one: HeldUp) => Explained['result']) =>
    heldUp.map((one): Explained => ({ action: 'explain-runner', runner: one.runner, result: result(one) }))
  try {
    const facts = heldUp.length < togetherFrom ? await readEach(context, heldUp) : await readTogether(context, heldUp)
    return outcomes(({ runner, podUid }) => {
      const pod = facts.pods.get(runner)
      const cause = pod && explainPod(facts.events.get(podUid) ?? [], pod)
      return { is: 'explained', cause }
    })
  } catch (error) {
    const failed = clusterUnsuccessful(error, context.signal)
    return outcomes(() => failed)
  }
}

type Facts = {
  readonly events: ReadonlyMap<string, readonly EventObject[]>
  readonly pods: ReadonlyMap<string, PodObject>
}

async function readEach(
  { kubernetes, set: { namespace }, signal }: ActContext,
  heldUp: readonly HeldUp[],
): Promise<Facts> {
  const read = async ({ runner: name, podUid }: HeldUp) => {
    const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${podUid}`
    const { items } = await kubernetes.list(events, { namespace, fieldSelector, signal })
    return { name, podUid, items, pod: await podOf(kubernetes, { namespace, name }, signal) }
  }
  const all = await Promise.all(heldUp.map(read))
  return {
    events: new Map(all.map(({ podUid, items }) => [podUid, items as unknown as readonly EventObject[]])),
    pods: new Map(all.flatMap(({ name, pod }) => (pod ? [[name, pod]] : []))),
  }
}

async function readTogether({ kubernetes, set, signal }: ActContext, heldUp: readonly HeldUp[]): Promise<Facts> {
  const uids = new Set(heldUp.map(({ podUid }) => podUid))
  const names = new Set(heldUp.map(({ runner }) => runner))
  const { namespace } = set
  const keepEvent = (event: KubeObject) => (uids.has(uidOf(event)) ? event : undefined)
  const keepPod = (object: KubeObject) => (names.has(object.metadata.name) ? object : undefined)
  const found = await listOf(kubernetes, events, {
    namespace,
    fieldSelector: 'involvedObject.kind=Pod',
    signal,
    keep: keepEvent,
  })
  const labelSelector = `${labels.set}=${set.name}`
  const present = await listOf(kubernetes, pods, { namespace, labelSelector, signal, keep: keepPod })
  const byUid = new Map<string, EventObject[]>()
  for (const event of found) {
    const of = byUid.get(uidOf(event)) ?? []
    byUid.set(uidOf(event), [...of, event as unknown as EventObject])
  }
  return {
    events: byUid,
    pods: new Map(present.map((pod) => [pod.metadata.name, pod as unknown as PodObject])),
  }
}

async function podOf(kubernetes: Kubernetes, at: ObjectName, signal: AbortSignal): Promise<PodObject | undefined> {
  try {
    return (await kubernetes.get(pods, at, { signal })) as unknown as PodObject
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return undefined
    throw error
  }
}

async function listOf(kubernetes: Kubernetes, ...args: Parameters<Kubernetes['list']>): Promise<readonly KubeObject[]> {
  return (await kubernetes.list(...args)).items
}

function uidOf(event: KubeObject): string {
  return (event as { involvedObject?: { uid?: string } }).involvedObject?.uid ?? ''
}
