// Finds native sidecars for an API server or a node that does not support them.
import { textAt } from '@dayfly/kit/read-json'
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { firstSidecarMinor, lacksSidecars } from '../pods/init-policy.ts'
import { hitIn, versionOf } from '../pods/pod-parts.ts'
import { kubeletVersions } from '../read/objects/by-kind.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'sidecar-unsupported-version',
  code: 'POD105',
  title: 'Native sidecar on a Kubernetes version that does not support it',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  isCrossObject: true,
  check: (facts) => {
    const kubelets = kubeletVersions(facts)
    return { hits: facts.pods.flatMap((pod) => check(pod, facts, kubelets)) }
  },
}

function check(pod: PodView, facts: Facts, kubelets: ReadonlyMap<string, string>): readonly Hit[] {
  const problem = problemOf(pod, facts, kubelets)
  if (problem === undefined) return []
  return pod.containers
    .filter(({ role }) => role === 'sidecar')
    .map(({ name, path }) =>
      hitIn(pod, {
        path: [...path, 'restartPolicy'],
        container: name,
        message: `${problem}: ${name} becomes a plain init container, or the pod is refused. Native sidecars need 1.29.`,
      }),
    )
}

function problemOf(pod: PodView, facts: Facts, kubelets: ReadonlyMap<string, string>): string | undefined {
  const at = pod.object.kind === 'Pod' ? textAt(pod.raw, 'spec', 'nodeName') : undefined
  const kubelet = kubelets.get(at ?? '')
  const minor = Number(/^v?1\.(\d+)/.exec(kubelet ?? '')?.[1])
  // If the pod has a node, only the kubelet of that node matters.
  if (!Number.isNaN(minor)) {
    return minor < firstSidecarMinor ? `The kubelet of its node ${at} is ${kubelet}` : undefined
  }
  const version = versionOf(pod, facts)
  if (!lacksSidecars(version)) return undefined
  const old = version.minors.filter((one) => one < firstSidecarMinor).map((one) => `1.${one}`)
  return `Kubernetes ${old.join(', ')} (${version.from}) drops restartPolicy from init containers`
}
