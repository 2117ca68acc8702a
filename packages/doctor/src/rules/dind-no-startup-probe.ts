// Finds Docker sidecars without a startup probe: the runner may start before the daemon answers.
import type { Path } from '@dayfly/kit/read-json'
import type { Fix, Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf } from '../pods/daemon.ts'
import { dockerProbe } from '../pods/docker-probe.ts'
import { hitIn, ordinaryContainers } from '../pods/pod-parts.ts'
import { loopsOnDocker, waitsForDocker } from '../read/shell/docker-wait.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'dind-no-startup-probe',
  code: 'POD108',
  title: 'The runner may start before Docker answers',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'unsafe',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

/** Probes each second for at most one minute. A real daemon answers within one to three seconds. */
const timing = { periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 60 }

function check(pod: PodView): readonly Hit[] {
  if (pod.daemons.size === 0 || pod.containers.some((container) => waitsForDocker(container))) return []
  const waits = ordinaryContainers(pod).flatMap(({ path }) => ['command', 'args', 'env'].map((key) => [...path, key]))
  return pod.containers.flatMap((container, index) => {
    const daemon = container.role === 'sidecar' ? daemonOf(container, pod) : undefined
    if (!daemon || container.startupProbe || container.postStart) return []
    // A later init container starts after the daemon, and the runner starts after both.
    if (pod.containers.some((other, at) => at > index && other.role === 'init' && loopsOnDocker(other))) return []
    const path = [...container.path, 'startupProbe']
    return [
      hitIn(pod, {
        path: container.path,
        container: container.name,
        message: `${container.name} has no startup probe, so the runner starts as soon as the daemon's process runs, before the daemon answers. Add a startup probe with docker info.`,
        confidence: daemon.confidence,
        absent: [path, [...container.path, 'lifecycle'], ...waits],
        fix: daemon.engine === 'docker' ? addProbe(container, pod, path) : undefined,
      }),
    ]
  })
}

function addProbe(container: ContainerView, pod: PodView, path: Path): Fix | undefined {
  const command = dockerProbe(container, pod)
  if (!command) return undefined
  return {
    safety: 'unsafe',
    title: 'Start the runner after docker info succeeds',
    edits: [{ do: 'set', path, value: { exec: { command: [...command] }, ...timing } }],
  }
}
