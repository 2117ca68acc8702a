// Finds container engines in ordinary containers of pods that are meant to end: such a pod never ends.
import type { VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { asSidecar } from '../pods/as-sidecar.ts'
import { lacksSidecars } from '../pods/init-policy.ts'
import { isBitbucketDaemon, isOfAutoscaler } from '../pods/lasting-runner.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { stalePid } from '../pods/stale-pid.ts'
import { waitsForDocker } from '../read/shell/docker-wait.ts'
import { endlessBesideWork, keeperOf } from '../read/shell/endless.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'dind-ordinary-container',
  code: 'POD101',
  title: 'Docker in an ordinary container keeps the pod running after its work has ended',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'safe',
  check: (facts) => ({
    hits: writtenPods(facts)
      .filter((pod) => pod.runsToCompletion)
      .flatMap((pod) => check(pod, versionOf(pod, facts))),
  }),
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  // ARC deletes the pod when its runner has ended. If the runner also waits for Docker at the start, nothing hangs.
  if (pod.owner === 'arc' && pod.containers.some(waitsForDocker)) return []
  const keeper = keeperOf(pod)
  const isLasting = isBitbucketDaemon(pod)
  return endlessBesideWork(pod)
    .filter(({ isDaemon }) => isDaemon)
    .map(({ container, what, confidence }) =>
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} runs ${what}, which never ends by itself, ${consequence(pod, keeper)}. ${advice(container, version)}`,
        confidence,
        ...(keeper || isLasting ? { severity: 'warning' as const } : {}),
        absent: [[...container.path, 'command']],
        fix: asSidecar(pod, container, version),
      }),
    )
}

function consequence(pod: PodView, keeper: string | undefined): string {
  const isActive = pod.owner === 'Pod' ? '' : ', the Job stays active, and its TTL never starts'
  if (isBitbucketDaemon(pod)) return `${afterDaemon(pod)}${isOfAutoscaler(pod) ? '' : isActive}`
  if (pod.owner === 'arc') return arcConsequence
  if (keeper)
    return `so after ${pod.isRunner ? 'the runner ends' : 'its work has ended'}, the pod remains until ${keeper} deletes it`
  return `so the pod stays Running after its work has ended${isActive}`
}

const arcConsequence =
  'and nothing orders the two: the runner may start a job before the daemon answers, and the daemon may stop before the runner. ARC deletes the pod after the runner ends'

/** Bitbucket's runner asks for further jobs after each one. */
function afterDaemon(pod: PodView): string {
  const keeps = isOfAutoscaler(pod)
    ? 'the pod stays Running until the autoscaler deletes its Job'
    : 'the pod stays Running'
  return `and Bitbucket's runner waits for jobs until something stops it. If the runner ends, ${keeps}`
}

function advice(container: ContainerView, version: VersionFact): string {
  if (lacksSidecars(version)) return 'Native sidecars need Kubernetes 1.29.'
  const sidecar = 'a native sidecar: an init container with restartPolicy Always (Kubernetes 1.29 and later)'
  const stale = stalePid(container)
  return stale
    ? `First set --pidfile and --exec-root to folders outside ${stale.folder}, because a restarted daemon refuses to start beside its old pid files. Then make it ${sidecar}.`
    : `Make it ${sidecar}.`
}
