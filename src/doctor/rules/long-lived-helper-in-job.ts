// A proxy, log shipper or secret agent beside the work of a Job: it serves for ever, so the pod never ends.
import { asSidecar } from '../as-sidecar.ts'
import type { VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { longLivedHelper } from '../long-lived.ts'
import { hitIn, ordinaryContainers, versionOf, writtenPods } from '../pod-parts.ts'
import type { PodView } from '../pod-view.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'long-lived-helper-in-job',
  code: 'POD102',
  title: 'A helper that serves for ever keeps the pod alive after its work has ended',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({
    hits: writtenPods(facts)
      .filter((pod) => pod.runsToCompletion)
      .flatMap((pod) => check(pod, versionOf(pod, facts))),
  }),
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  const ordinary = ordinaryContainers(pod)
  const helpers = ordinary.flatMap((container) => {
    const what = longLivedHelper(container, pod)
    return what === undefined ? [] : [{ container, what }]
  })
  if (helpers.length === ordinary.length) return []
  return helpers.map(({ container, what }) => {
    const fix = asSidecar(pod, container, version)
    return hitIn(pod, {
      path: container.path,
      absent: [
        [...container.path, 'command'],
        [...container.path, 'args'],
      ],
      container: container.name,
      message: `${container.name} is ${what} and serves until somebody ends it: the pod stays Running after its work has ended. Make it a native sidecar (Kubernetes 1.29 and later).`,
      fix: fix && { ...fix, safety: 'unsafe' },
    })
  })
}
