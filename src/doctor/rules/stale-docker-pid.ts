// Finds Docker daemons whose pid file is in a volume that outlives the container: after a crash they never start again.

import { textsAt } from '../../lib/read-json.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf, scriptsOf } from '../pods/daemon.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
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
    const [folder] = Object.keys(container.mounts).filter((path) => /^(\/var)?\/run\/?$/.test(path))
    if (folder === undefined || !startsDirectly(container) || avoidsStaleFiles(container)) return []
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} writes its pid files into the volume at ${folder}, which outlives the container. After a crash it finds them and refuses to start (process with PID 1 is still running). Set --pidfile and --exec-root to other folders, or delete the files first.`,
      }),
    ]
  })
}

function restarts(container: ContainerView, pod: PodView): boolean {
  // ARC sets Never on a runner's pod without restartPolicy.
  const policy = pod.restartPolicy ?? (pod.owner === 'arc' ? 'Never' : 'Always')
  return container.role === 'sidecar' || (container.role === 'container' && policy !== 'Never')
}

/** Returns whether the command starts dockerd itself. The image's entry point would delete the files. */
function startsDirectly(container: ContainerView): boolean {
  const command = textsAt(container.raw, 'command')
  return command.some((word) => /(^|[\s/])dockerd(\s|$)/.test(word)) && !command.join(' ').includes('entrypoint')
}

function avoidsStaleFiles(container: ContainerView): boolean {
  const words = scriptsOf(container).join(' ').slice(0, 10_000)
  const isOutsideRun = (flag: string) => new RegExp(`--${flag}[= ](?!(/var)?/run/)\\S`).test(words)
  return (isOutsideRun('pidfile') && isOutsideRun('exec-root')) || /\brm\b[^;&|]*\.pid|-delete\b/.test(words)
}
