// The pods of runner sets, reduced to the fields that decide and explain.
import type { KubeObject } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import { type ObservedPod, observePod } from '../observe/pod-facts.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { pods } from '../resources.ts'
import { type Cluster, getOne, listAll } from './read.ts'

/** A runner's pod and its facts. */
export type RunnerPod = { readonly pod: PodObject; readonly observed: ObservedPod }

/** Returns the pods of all runners. A pod that carries our label without an owner is no runner: `dayfly sweep` finds it. */
export async function readRunnerPods(cluster: Cluster, namespace: string | undefined): Promise<readonly RunnerPod[]> {
  const items = await listAll(cluster, pods, { namespace, labelSelector: labels.set, keep: slim })
  return items.flatMap((object) => runnerPodOf(object) ?? [])
}

export async function readRunnerPod(
  cluster: Cluster,
  at: { readonly namespace: string; readonly name: string },
): Promise<RunnerPod | undefined> {
  const object = await getOne(cluster, pods, at)
  return object && runnerPodOf(object)
}

function runnerPodOf(object: KubeObject): RunnerPod | undefined {
  const pod = object as unknown as PodObject
  const observed = observePod(pod)
  return observed && { pod, observed }
}

/** Drops what no command shows: at 10,000 pods, templates would need a gigabyte. */
function slim(object: KubeObject): KubeObject {
  const { spec } = object as unknown as PodObject
  const kept = (containers: NonNullable<typeof spec>['containers']) =>
    containers?.map(({ name, restartPolicy, lifecycle }) => ({ name, restartPolicy, lifecycle }))
  const small = {
    nodeName: spec?.nodeName,
    initContainers: kept(spec?.initContainers),
    containers: kept(spec?.containers),
  }
  const { managedFields: _fields, ...metadata } = object.metadata as KubeObject['metadata'] & {
    managedFields?: unknown
  }
  return { ...object, metadata, spec: small }
}
