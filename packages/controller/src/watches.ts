// The watches that feed the caches: runners, sets, and once a set needs them, the pods of jobs and the quotas.
import { aborted } from '@dayfly/kit/signals'
import { createReflector, type ReflectorSink, runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import type { JobPods } from './job-pods.ts'
import type { Journal } from './journal.ts'
import { observeJobPod, runnerPodLabel } from './observe/job-pod.ts'
import { observePod } from './observe/pod-facts.ts'
import { type PodObject, unreadOfPods } from './observe/pod-object.ts'
import { observeQuota } from './observe/quota.ts'
import type { ControllerOptions } from './options.ts'
import type { PodCache } from './pod-cache.ts'
import type { QuotaCache } from './quota-cache.ts'
import { pods, resourceQuotas, runnerSets } from './resources.ts'
import { WatchHealth, type WatchState } from './watch-health.ts'

export type Watches = {
  /** Resolves when all watches have ended. Never rejects. */
  readonly over: Promise<unknown>
  states(): readonly WatchState[]
  /** Makes the number of runners unknown until a complete list that is requested from now on. */
  relistPods(): void
}

export type Caches = {
  readonly pods: PodCache
  readonly sets: ReflectorSink<KubeObject>
  readonly jobPods: JobPods
  readonly quotas: QuotaCache
}

/** The watches that only some sets need: each signal is aborted when the first such set is read. */
export type Needs = { readonly jobPods: AbortSignal; readonly quotas: AbortSignal }

/** The name of the watch of the pods of jobs in health checks and in the log. */
const jobPodsWatched = 'job-pods'

export function openWatches(
  { transport, clock, random, namespace }: ControllerOptions,
  journal: Journal,
  caches: Caches,
  { needs, until }: { readonly needs: Needs; readonly until: AbortSignal },
): Watches {
  const health = {
    pods: new WatchHealth(pods.plural, caches.pods, journal),
    sets: new WatchHealth(runnerSets.plural, caches.sets, journal),
    jobPods: new WatchHealth(jobPodsWatched, caches.jobPods, journal),
    quotas: new WatchHealth(resourceQuotas.plural, caches.quotas, journal),
  }
  const shared = { transport, clock, random, namespace }
  const runners = createReflector({
    ...shared,
    resource: pods,
    unread: unreadOfPods,
    labelSelector: labels.set,
    project: (object) => observePod(podOf(object)),
    sink: health.pods,
  })
  const jobPods = createReflector({
    ...shared,
    resource: pods,
    unread: unreadOfPods,
    labelSelector: runnerPodLabel,
    project: (object) => observeJobPod(podOf(object)),
    sink: health.jobPods,
  })
  const quotas = createReflector({ ...shared, resource: resourceQuotas, project: observeQuota, sink: health.quotas })
  const once = (needed: AbortSignal) => Promise.race([aborted(needed), aborted(until)])
  return {
    over: Promise.all([
      runners.run(until),
      runReflector({ ...shared, resource: runnerSets, project: projectSet, sink: health.sets }, until),
      once(needs.jobPods).then(() => jobPods.run(until)),
      once(needs.quotas).then(() => quotas.run(until)),
    ]),
    // Runners start without the quotas, so their watch is no part of the process's health.
    states: () => {
      const { pods, sets, jobPods } = health
      return [pods, sets, ...(needs.jobPods.aborted ? [jobPods] : [])].map((watch) => watch.state())
    },
    relistPods: () => {
      caches.pods.doubt()
      runners.relist()
    },
  }
}

function podOf(object: KubeObject): PodObject {
  return object as unknown as PodObject
}

/** Keeps only the fields of a set that are read. */
function projectSet(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = object
  const { name, namespace, uid, generation, resourceVersion, deletionTimestamp } = metadata
  const { ownerReferences } = metadata as { readonly ownerReferences?: readonly object[] }
  const kept = { name, namespace, uid, generation, resourceVersion, deletionTimestamp, ownerReferences }
  return { apiVersion, kind, metadata: kept as KubeObject['metadata'], spec, status }
}
