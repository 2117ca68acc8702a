// A daemon, or a helper that serves for ever, as a plain init container: initialisation waits for it for ever (incident S1's false cure).

import type { VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { initAsSidecar } from '../pods/as-sidecar.ts'
import { blockingInit } from '../pods/blocking-init.ts'
import { daemonOf } from '../pods/daemon.ts'
import { initPolicyOutcome } from '../pods/init-policy.ts'
import type { Helper } from '../pods/long-lived.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'
import { isUnknown } from '../template-value.ts'

export const rule: Rule = {
  slug: 'daemon-as-blocking-init',
  code: 'POD104',
  title: 'A daemon as a plain init container blocks the pod for ever',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap((pod) => check(pod, versionOf(pod, facts))) }),
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  return pod.containers.flatMap((container) => {
    if (container.role !== 'init' || isUnknown(container.restartPolicy)) return []
    const endless = endlessOf(container, pod)
    if (!endless || isRefused(container, version)) return []
    const written = container.restartPolicy !== undefined
    return [
      hitIn(pod, {
        path: written ? [...container.path, 'restartPolicy'] : container.path,
        absent: ['command', 'args', ...(written ? [] : ['restartPolicy'])].map((key) => [...container.path, key]),
        container: container.name,
        message: `${container.name} ${endless.what} and never ends, but an init container without restartPolicy Always must end before the next one starts: the pod stays in Init for ever.`,
        confidence: endless.confidence,
        fix: initAsSidecar(container, version),
      }),
    ]
  })
}

function endlessOf(container: ContainerView, pod: PodView): Helper | undefined {
  const daemon = daemonOf(container, pod)
  if (daemon) return { what: 'is a daemon', confidence: daemon.confidence }
  const helper = blockingInit(container, pod)
  return helper && { ...helper, what: `runs ${helper.what}` }
}

/** Every version in question refuses the pod for its policy, so it never comes to hang. */
function isRefused(container: ContainerView, { minors }: VersionFact): boolean {
  const policy = container.restartPolicy
  if (policy === undefined) return false
  return minors.every((minor) => initPolicyOutcome(minor, policy) === 'refused')
}
