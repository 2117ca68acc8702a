// Finds Docker daemons that cannot start because a volume is mounted at the path of their own socket.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
import { takenSocket } from '../pods/taken-socket.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'docker-socket-taken',
  code: 'POD118',
  title: 'Docker cannot start: a volume is mounted at the path of its socket',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  return pod.containers.flatMap((container) => {
    const taken = takenSocket(container, pod)
    if (!taken) return []
    const advice = taken.ofNode
      ? `A client that mounts ${taken.volume} uses the node's Docker. Remove the mount from ${container.name}, or remove ${container.name} if the node's Docker is meant.`
      : `Mount ${taken.volume} at the folder of the socket instead.`
    return [
      hitIn(pod, {
        path: taken.path,
        container: container.name,
        message: `${container.name} creates its socket at ${taken.socket}, where the volume ${taken.volume} is mounted. Docker cannot replace a mount, so it ends at each start (can't create unix socket). ${advice}`,
      }),
    ]
  })
}
