// The cure for a helper that keeps its pod alive: make it a native sidecar (KEP-753).

import type { VersionFact } from '../facts.ts'
import type { Fix } from '../finding.ts'
import { daemonOf } from './daemon.ts'
import { lacksSidecars, surelyHasSidecars } from './init-policy.ts'
import type { ContainerView, PodView } from './pod-view.ts'

/** Moves an ordinary container behind the init containers with restartPolicy Always; undefined where no version runs sidecars. */
export function asSidecar(pod: PodView, container: ContainerView, version: VersionFact): Fix | undefined {
  if (lacksSidecars(version)) return undefined
  const holdsUpStart = container.postStart !== undefined
  const isSure = daemonOf(container, pod)?.confidence !== 'medium'
  return {
    safety: surelyHasSidecars(version) && isSure && !holdsUpStart ? 'safe' : 'unsafe',
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
