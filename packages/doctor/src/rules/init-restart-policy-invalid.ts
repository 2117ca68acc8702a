// Finds init containers whose restartPolicy the API server refuses or silently drops.
import type { Minor, VersionFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { initAsSidecar } from '../pods/as-sidecar.ts'
import { daemonOf } from '../pods/daemon.ts'
import { initPolicyOutcome, lacksSidecars } from '../pods/init-policy.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'init-restart-policy-invalid',
  code: 'POD103',
  title: 'An init container has a restartPolicy that the API server refuses or drops',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap((pod) => check(pod, versionOf(pod, facts))) }),
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  return pod.containers.flatMap((container) => {
    const policy = container.restartPolicy
    if (container.role === 'container') return checkOrdinary(container, pod, version)
    if (policy === undefined || policy === 'Always' || isUnknown(policy)) return []
    const refused = version.minors.filter((minor) => initPolicyOutcome(minor, policy) === 'refused')
    const dropped = version.minors.filter((minor) => initPolicyOutcome(minor, policy) === 'dropped')
    if (refused.length + dropped.length === 0) return []
    return [
      hitIn(pod, {
        path: [...container.path, 'restartPolicy'],
        container: container.name,
        message: `restartPolicy ${policy} on the init container ${container.name} is ${verdict(refused, dropped)}${hint(container, pod, version)}`,
        ...(refused.length === 0 ? { severity: 'warning' as const } : {}),
        fix: fixOf(container, pod, version),
      }),
    ]
  })
}

/** Checks an ordinary container. It may have its own restartPolicy only since 1.34; 1.28 to 1.33 refuse any value. */
function checkOrdinary(container: ContainerView, pod: PodView, { minors, declared }: VersionFact): readonly Hit[] {
  if (container.restartPolicy === undefined || isUnknown(container.restartPolicy) || !declared) return []
  const refused = minors.filter((minor) => minor >= 28 && minor < 34)
  if (refused.length === 0) return []
  return [
    hitIn(pod, {
      path: [...container.path, 'restartPolicy'],
      container: container.name,
      message: `restartPolicy on ${container.name}, which is not an init container, is refused by Kubernetes ${range(refused)}, so no pod is created. Remove the field.`,
      fix: removal(container),
    }),
  ]
}

function verdict(refused: readonly Minor[], dropped: readonly Minor[]): string {
  return [
    refused.length > 0 ? `refused by Kubernetes ${range(refused)}, so no pod is created` : '',
    dropped.length > 0 ? `silently dropped by ${refused.length > 0 ? '' : 'Kubernetes '}${range(dropped)}` : '',
  ]
    .filter((part) => part !== '')
    .join(', and ')
}

function range(minors: readonly Minor[]): string {
  const [first, last] = [Math.min(...minors), Math.max(...minors)]
  if (first === last) return `1.${first}`
  const isWhole = last - first + 1 === new Set(minors).size
  return isWhole
    ? `1.${first} to 1.${last}`
    : [...minors]
        .sort((a, b) => a - b)
        .map((minor) => `1.${minor}`)
        .join(', ')
}

function hint(container: ContainerView, pod: PodView, version: VersionFact): string {
  if (!daemonOf(container, pod))
    return '. Remove the field: the container then follows the policy of the pod. Always would make it a sidecar.'
  return lacksSidecars(version)
    ? '. Without the field, a daemon blocks the pod forever; native sidecars need 1.29.'
    : '. A daemon needs Always; without the field, it blocks the pod forever.'
}

function fixOf(container: ContainerView, pod: PodView, version: VersionFact): Fix | undefined {
  return daemonOf(container, pod) ? initAsSidecar(container, version) : removal(container)
}

function removal({ name, path }: ContainerView): Fix {
  return {
    safety: 'unsafe',
    title: `Remove restartPolicy from ${name}, so that the pod's policy applies`,
    edits: [{ do: 'remove', path: [...path, 'restartPolicy'] }],
  }
}
