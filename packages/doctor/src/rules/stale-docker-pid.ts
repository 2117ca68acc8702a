// Finds Docker daemons whose pid file is in a volume that outlives the container: after a crash they never start again.
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
import { stalePid } from '../pods/stale-pid.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'stale-docker-pid',
  code: 'POD115',
  title: 'A crashed Docker daemon cannot restart because of its old pid file',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'guided',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  return pod.containers.flatMap((container) => {
    if (!restarts(container, pod) || daemonOf(container, pod)?.engine !== 'docker') return []
    const stale = stalePid(container)
    if (!stale) return []
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} writes its pid files into the volume at ${stale.folder}, which outlives the container. After a crash it finds them and refuses to start (process with PID 1 is still running). Set --pidfile and --exec-root to other folders, or delete the files first.`,
        confidence: stale.confidence,
      }),
    ]
  })
}

function restarts(container: ContainerView, pod: PodView): boolean {
  // ARC sets Never on a runner's pod without restartPolicy.
  const policy = pod.restartPolicy ?? (pod.owner === 'arc' ? 'Never' : 'Always')
  return container.role === 'sidecar' || (container.role === 'container' && policy !== 'Never')
}
