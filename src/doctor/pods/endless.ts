// The containers of a pod that run for ever: daemons of container engines, and helpers that serve until somebody ends them.

import type { ContainerView, PodView } from '../pod-view.ts'
import { daemonOf } from './daemon.ts'
import { longLivedHelper } from './long-lived.ts'
import { ordinaryContainers } from './pod-parts.ts'

export type Endless = {
  readonly container: ContainerView
  /** What runs, in words. */
  readonly what: string
  readonly confidence: 'high' | 'medium'
  /** Of a container engine; else it is a helper. */
  readonly isDaemon: boolean
}

const engines = { docker: 'a Docker daemon', buildkit: 'a BuildKit daemon', podman: 'a Podman service' } as const

/** Undefined when the container ends by itself, or nothing is known of it. */
function endlessOf(container: ContainerView, pod: PodView): Endless | undefined {
  const daemon = daemonOf(container, pod)
  if (daemon) return { container, what: engines[daemon.engine], confidence: daemon.confidence, isDaemon: true }
  const helper = longLivedHelper(container, pod)
  return helper && { container, ...helper, isDaemon: false }
}

/** The ordinary containers that run for ever beside one that may end; none where all of them do. */
export function endlessBesideWork(pod: PodView): readonly Endless[] {
  const ordinary = ordinaryContainers(pod)
  const found = ordinary.flatMap((container) => endlessOf(container, pod) ?? [])
  return found.length === ordinary.length ? [] : found
}

/** Who deletes the pod when its work has ended, though a container still runs. */
export function keeperOf(pod: PodView): 'its controller' | 'Jenkins' | undefined {
  if (pod.owner === 'arc' || pod.owner === 'RunnerSet') return 'its controller'
  const isAgent =
    pod.owner === 'Pod' &&
    pod.containers.some(({ name, image }) => name === 'jnlp' || /jenkins\/(inbound-agent|jnlp-)/.test(image ?? ''))
  return isAgent ? 'Jenkins' : undefined
}
