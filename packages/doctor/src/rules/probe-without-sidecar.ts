// Finds probes and hooks on plain init containers: every API server refuses such a pod.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt } from '@dayfly/kit/read-json'
import type { VersionFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { initAsSidecar } from '../pods/as-sidecar.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn, versionOf, writtenPods } from '../pods/pod-parts.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'probe-without-sidecar',
  code: 'POD107',
  title: 'A plain init container has a probe or a hook, which the API server refuses',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap((pod) => check(pod, versionOf(pod, facts))) }),
}

function check(pod: PodView, version: VersionFact): readonly Hit[] {
  return pod.containers
    .filter(({ role, restartPolicy }) => role === 'init' && !isUnknown(restartPolicy))
    .flatMap((container) =>
      forbidden(container).map((path) =>
        hitIn(pod, {
          path,
          container: container.name,
          message: `${path.at(-1)} on the init container ${container.name} is refused: only an init container with restartPolicy Always may have it.`,
          // Without its probe, the daemon would still block the pod.
          fix: daemonOf(container, pod) ? initAsSidecar(container, version) : removal(container, path),
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

/** Removes a probe or hook. The last hook is removed together with its lifecycle: the API server also refuses an empty one. */
function removal({ raw }: ContainerView, path: Path): Fix {
  const isLastHook = path.at(-2) === 'lifecycle' && Object.keys(fieldsAt(raw, 'lifecycle') ?? {}).length === 1
  const whole = isLastHook ? path.slice(0, -1) : path
  return { safety: 'unsafe', title: `Remove ${path.at(-1)}`, edits: [{ do: 'remove', path: whole }] }
}
