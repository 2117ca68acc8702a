// The fixes that turn a container into a native sidecar (KEP-753).
// The container keeps its pod alive, or blocks it as a plain init container.
import type { VersionFact } from '../facts.ts'
import type { Fix } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf } from './daemon.ts'
import { firstSidecarMinor, lacksSidecars, surelyHasSidecars } from './init-policy.ts'
import { stalePid } from './stale-pid.ts'

/**
 * Moves an ordinary container behind the init containers, with restartPolicy Always.
 * Undefined if no version supports sidecars, or if the restarted daemon would find its own old pid files.
 */
export function asSidecar(pod: PodView, container: ContainerView, version: VersionFact): Fix | undefined {
  if (lacksSidecars(version) || stalePid(container)) return undefined
  const holdsUpStart = container.postStart !== undefined
  const isSure = daemonOf(container, pod)?.confidence !== 'medium'
  const isSafe = surelyHasSidecars(version)
  const mayBeSafe = isSure && !holdsUpStart
  return {
    safety: isSafe && mayBeSafe ? 'safe' : 'unsafe',
    safeFrom: !isSafe && mayBeSafe ? firstSidecarMinor : undefined,
    title: `Make ${container.name} a native sidecar: an init container with restartPolicy Always`,
    edits: [
      {
        do: 'move',
        from: container.path,
        to: [...pod.path, 'initContainers'],
        after: 'containers',
        set: { restartPolicy: 'Always' },
      },
    ],
  }
}

/** Sets restartPolicy Always on an init container. Undefined in the same cases as `asSidecar`. */
export function initAsSidecar(container: ContainerView, version: VersionFact): Fix | undefined {
  if (lacksSidecars(version) || stalePid(container)) return undefined
  const { name, path } = container
  return {
    safety: 'unsafe',
    title: `Set restartPolicy Always on ${name}, so that it is a native sidecar`,
    edits: [{ do: 'set', path: [...path, 'restartPolicy'], value: 'Always', after: 'image' }],
  }
}
