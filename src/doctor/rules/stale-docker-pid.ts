// dockerd's pid file in a volume that outlives it: after a crash the daemon refuses to start, for ever.

import { textsAt } from '../../lib/read-json.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf, scriptsOf } from '../pods/daemon.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'stale-docker-pid',
  code: 'POD115',
  title: 'A Docker daemon that crashes cannot start again over its pid file',
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
    if (folder === undefined || !startsDirectly(container) || avoids(container)) return []
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} writes its pid files into the volume at ${folder}, which outlives it: after a crash it finds them and refuses to start (process with PID 1 is still running). Put --pidfile and --exec-root elsewhere, or delete the files first.`,
      }),
    ]
  })
}

function restarts(container: ContainerView, pod: PodView): boolean {
  // ARC: a runner's pod that says nothing gets Never.
  const policy = pod.restartPolicy ?? (pod.owner === 'arc' ? 'Never' : 'Always')
  return container.role === 'sidecar' || (container.role === 'container' && policy !== 'Never')
}

/** Not through the image's entry point, which deletes the files. */
function startsDirectly(container: ContainerView): boolean {
  const command = textsAt(container.raw, 'command')
  return command.some((word) => /(^|[\s/])dockerd(\s|$)/.test(word)) && !command.join(' ').includes('entrypoint')
}

function avoids(container: ContainerView): boolean {
  const words = scriptsOf(container).join(' ').slice(0, 10_000)
  const elsewhere = (flag: string) => new RegExp(`--${flag}[= ](?!(/var)?/run/)\\S`).test(words)
  return (elsewhere('pidfile') && elsewhere('exec-root')) || /\brm\b[^;&|]*\.pid|-delete\b/.test(words)
}
