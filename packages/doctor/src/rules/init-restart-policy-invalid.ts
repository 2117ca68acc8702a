// Finds containers whose own restartPolicy the API server refuses or silently drops, or with which their pod never ends.
import type { Minor, VersionFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { asSidecar, initAsSidecar } from '../pods/as-sidecar.ts'
import { daemonOf } from '../pods/daemon.ts'
import { initPolicyOutcome, lacksSidecars } from '../pods/init-policy.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'init-restart-policy-invalid',
  code: 'POD103',
  title: 'A container has a restartPolicy that the API server refuses or drops',
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

/**
 * Checks an ordinary container (KEP-5307). 1.28 to 1.33 refuse any value, and 1.34 drops it. From 1.35 on the kubelet obeys it: with Always
 * the container is restarted forever, and a pod that should end never does.
 */
function checkOrdinary(container: ContainerView, pod: PodView, version: VersionFact): readonly Hit[] {
  const { minors, declared } = version
  const { name, path, raw, restartPolicy: policy } = container
  if (policy === undefined || isUnknown(policy)) return []
  const isObeyed = policy !== 'Always' || !pod.runsToCompletion
  // Rules for exit codes need the field, and show that a version is meant that knows both.
  if (isObeyed && !declared && 'restartPolicyRules' in raw) return []
  const refused = minors.filter((minor) => minor >= 28 && minor < 34)
  const dropped = isObeyed ? [] : minors.filter((minor) => minor === 34)
  const endless = isObeyed ? [] : minors.filter((minor) => minor > 34)
  if (refused.length + dropped.length + endless.length === 0) return []
  const verdicts = [
    refused.length > 0 ? `Kubernetes ${range(refused)} refuses the field, so no pod is created` : '',
    dropped.length > 0 ? `Kubernetes ${range(dropped)} drops it silently` : '',
    endless.length > 0 ? `Kubernetes ${range(endless)} restarts the container forever, so the pod never ends` : '',
  ].filter((part) => part !== '')
  const isHelper = policy === 'Always' && name !== pod.runner
  return [
    hitIn(pod, {
      path: [...path, 'restartPolicy'],
      container: name,
      message: `${name} is no init container and has restartPolicy ${policy}: ${verdicts.join('; ')}. ${
        isHelper ? 'Make it a native sidecar: an init container with restartPolicy Always.' : 'Remove the field.'
      }`,
      fix: isHelper ? helperFix(container, pod, version) : removal(container),
    }),
  ]
}

/** Another rule fixes a daemon in the same way. */
function helperFix(container: ContainerView, pod: PodView, version: VersionFact): Fix | undefined {
  if (pod.runsToCompletion && daemonOf(container, pod)) return undefined
  const fix = asSidecar(pod, container, version)
  return fix ? { ...fix, safety: 'unsafe', safeFrom: undefined } : removal(container)
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
