// Finds the containers of a pod that run indefinitely: daemons of container engines, and helpers.
import type { ContainerView, PodView } from '../../pod-view.ts'
import { daemonOf } from '../../pods/daemon.ts'
import { longLivedHelper } from '../../pods/long-lived.ts'
import { ordinaryContainers } from '../../pods/pod-parts.ts'

type Endless = {
  readonly container: ContainerView
  /** A description of the program. */
  readonly what: string
  readonly confidence: 'high' | 'medium'
  /** Whether it is the daemon of a container engine; else it is a helper. */
  readonly isDaemon: boolean
}

const engines = { docker: 'a Docker daemon', buildkit: 'a BuildKit daemon', podman: 'a Podman service' } as const

/** Returns undefined if the container ends by itself, or nothing is known about it. */
function endlessOf(container: ContainerView, pod: PodView): Endless | undefined {
  const daemon = daemonOf(container, pod)
  if (daemon) return { container, what: engines[daemon.engine], confidence: daemon.confidence, isDaemon: true }
  const helper = longLivedHelper(container, pod)
  return helper && { container, ...helper, isDaemon: false }
}

/**
 * Returns the ordinary containers that run indefinitely beside one that may end. Empty if all of them run indefinitely.
 * A container that a controller ends with the runner does not count.
 */
export function endlessBesideWork(pod: PodView): readonly Endless[] {
  const ordinary = ordinaryContainers(pod).filter(({ endsWithRunner }) => !endsWithRunner)
  const found = ordinary.flatMap((container) => endlessOf(container, pod) ?? [])
  return found.length === ordinary.length ? [] : found
}

/** Returns the program that deletes the pod when its work has ended, although a container still runs. */
export function keeperOf(pod: PodView): 'its controller' | 'Jenkins' | undefined {
  if (pod.owner === 'arc' || pod.owner === 'RunnerSet' || pod.owner === 'custom') return 'its controller'
  const isAgent =
    pod.owner === 'Pod' &&
    pod.containers.some(({ name, image }) => name === 'jnlp' || /jenkins\/(inbound-agent|jnlp-)/.test(image ?? ''))
  return isAgent ? 'Jenkins' : undefined
}
