// Finds daemons and other programs that never end in plain init containers, which block the start of the pod.
import type { VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { initAsSidecar } from '../pods/as-sidecar.ts'
import { blockingInit } from '../pods/blocking-init.ts'
import { daemonOf } from '../pods/daemon.ts'
import { initPolicyOutcome } from '../pods/init-policy.ts'
import type { Helper } from '../pods/long-lived.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'daemon-as-blocking-init',
  code: 'POD104',
  title: 'A daemon in a plain init container blocks the pod forever',
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
        message: `${container.name} ${endless.what} and never ends. An init container without restartPolicy Always must end before the next container starts, so the pod stays in Init forever. ${endless.isWork ? 'Run only what prepares the runner here, such as its registration, and the daemon under containers.' : 'Set restartPolicy Always.'}`,
        confidence: endless.confidence,
        fix: endless.isWork ? undefined : initAsSidecar(container, version),
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

/** Returns whether each version in question refuses the pod because of its policy: then the pod cannot hang. */
function isRefused(container: ContainerView, { minors }: VersionFact): boolean {
  const policy = container.restartPolicy
  if (policy === undefined) return false
  return minors.every((minor) => initPolicyOutcome(minor, policy) === 'refused')
}
