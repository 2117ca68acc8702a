// The fields of a pod and its Events, as the API server sends them, that Dayfly reads.
import type { ObjectMeta } from '@dayfly/kubernetes/types'

export type ContainerStatus = {
  readonly name: string
  readonly started?: boolean
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: { readonly startedAt?: string }
    readonly terminated?: TerminatedContainer
  }
  readonly lastState?: { readonly terminated?: TerminatedContainer }
}

export type TerminatedContainer = {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
}

/** The numbers of a startup probe. Their defaults are those of Kubernetes. */
export type StartupProbe = {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly failureThreshold?: number
}

export type PodCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

type ContainerSpec = {
  readonly name: string
  readonly restartPolicy?: string
  readonly startupProbe?: StartupProbe
  readonly lifecycle?: { readonly postStart?: unknown }
}

export type PodObject = {
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly nodeName?: string
    readonly initContainers?: readonly ContainerSpec[]
    readonly containers?: readonly ContainerSpec[]
    readonly imagePullSecrets?: readonly { readonly name?: string }[]
  }
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly PodCondition[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

/** The fields of an Event that are read. */
export type EventObject = {
  readonly reason?: string
  readonly message?: string
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

/** Large parts of a pod that `observePod` never reads, so that a watch need not parse them. */
export const unreadOfPods: readonly string[] = [
  'managedFields',
  'containers',
  'env',
  'volumes',
  'volumeMounts',
  'tolerations',
  'command',
  'args',
  'resources',
  'allocatedResources',
  'securityContext',
  'livenessProbe',
  'readinessProbe',
  'affinity',
]
