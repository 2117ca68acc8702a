// Finds proxies, log shippers and agents next to the work of a Job, written or injected: they never end, so the pod never ends.
import type { ObjectFact, VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { asSidecar } from '../pods/as-sidecar.ts'
import { injectedProxies } from '../pods/mesh-injection.ts'
import { hitIn, jobSpecOf, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { endlessBesideWork, keeperOf } from '../read/shell/endless.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'long-lived-helper-in-job',
  code: 'POD102',
  title: 'A helper that never ends keeps the pod running after its work has ended',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  isCrossObject: true,
  check: (facts) => {
    const namespaces = objectsOf(facts, 'Namespace')
    return {
      hits: writtenPods(facts)
        .filter((pod) => pod.runsToCompletion)
        .flatMap((pod) => [...check(pod, versionOf(pod, facts)), ...checkInjected(pod, namespaces)]),
    }
  },
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  return endlessBesideWork(pod)
    .filter(({ isDaemon }) => !isDaemon)
    .map(({ container, what, confidence }) => {
      const fix = asSidecar(pod, container, version)
      return hitIn(pod, {
        path: container.path,
        absent: [
          [...container.path, 'command'],
          [...container.path, 'args'],
        ],
        container: container.name,
        message: `${container.name} runs ${what}, which never ends by itself, so ${consequence(pod)}. Make it a native sidecar (Kubernetes 1.29 and later).`,
        confidence,
        fix: fix && { ...fix, safety: 'unsafe', safeFrom: undefined },
      })
    })
}

/** Only in files: a live pod shows its proxy among its containers. */
function checkInjected(pod: PodView, namespaces: readonly ObjectFact[]): readonly Hit[] {
  if (jobSpecOf(pod) === undefined || pod.document === undefined) return []
  return injectedProxies(pod, namespaces).map(({ mesh, path, native }) =>
    hitIn(pod, {
      path,
      message: `${mesh} injects its proxy into the pod. The proxy never ends by itself, so ${consequence(pod)}, unless your ${mesh} injects native sidecars. Set the annotation ${native} to "true" (Kubernetes 1.29 and later).`,
      confidence: 'medium',
    }),
  )
}

function consequence(pod: PodView): string {
  const keeper = keeperOf(pod)
  return keeper
    ? `after the work has ended, the pod remains until ${keeper} deletes it`
    : 'the pod stays Running after its work has ended'
}
