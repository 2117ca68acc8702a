// Probes and hooks on a plain init container: every API server refuses the pod.
import { daemonOf } from '../daemon.ts'
import type { Fix, Hit, Path } from '../finding.ts'
import { hitIn, writtenPods } from '../pod-parts.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import type { Rule } from '../rule.ts'
import { isUnknown } from '../unknown.ts'

export const rule: Rule = {
  slug: 'probe-without-sidecar',
  code: 'POD107',
  title: 'A plain init container has a probe or a hook, which the API server refuses',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  return pod.containers
    .filter(({ role, restartPolicy }) => role === 'init' && !isUnknown(restartPolicy))
    .flatMap((container) =>
      forbidden(container).map((path) =>
        hitIn(pod, {
          path,
          container: container.name,
          message: `${path.at(-1)} on the init container ${container.name} is refused: only one with restartPolicy Always may have it.`,
          fix: cure(container, pod, path),
        }),
      ),
    )
}

function forbidden(container: ContainerView): readonly Path[] {
  const found = [
    container.startupProbe,
    container.livenessProbe,
    container.readinessProbe,
    container.postStart,
    container.preStop,
  ]
  return found.flatMap((part) => (part ? [part.path] : []))
}

function cure(container: ContainerView, pod: PodView, path: Path): Fix {
  return daemonOf(container, pod)
    ? {
        safety: 'unsafe',
        title: `Set restartPolicy Always on ${container.name}, so that it is a native sidecar`,
        edits: [{ do: 'set', path: [...container.path, 'restartPolicy'], value: 'Always', after: 'image' }],
      }
    : { safety: 'unsafe', title: `Remove ${path.at(-1)}`, edits: [{ do: 'remove', path }] }
}
