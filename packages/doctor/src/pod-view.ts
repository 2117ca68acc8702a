// One normalised view of a pod spec, for every kind that holds one, in a file or in a cluster. Every part knows its path.
import type { Path } from '@dayfly/kit/read-json'
import type { Engine } from '@dayfly/runner-set/model/container-engine'
import type { Delivery } from './delivery.ts'
import type { ObjectRef } from './finding.ts'
import type { VersionFact } from './version-fact.ts'

type ProbeView = { readonly path: Path }

export type ContainerView = {
  readonly name: string
  /** `sidecar`: an init container with restartPolicy Always. */
  readonly role: 'container' | 'init' | 'sidecar'
  readonly path: Path
  readonly image: string | undefined
  /** Command and arguments, as words. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly restartPolicy: string | undefined
  readonly privileged: boolean
  /** The volumes' names, by mountPath. */
  readonly mounts: Readonly<Record<string, string>>
  readonly startupProbe: ProbeView | undefined
  readonly livenessProbe: ProbeView | undefined
  readonly readinessProbe: ProbeView | undefined
  readonly postStart: { readonly path: Path; readonly exec: readonly string[] | undefined } | undefined
  readonly preStop: { readonly path: Path; readonly exec: readonly string[] | undefined } | undefined
  /** A controller ends it with the runner, and nobody can make it another kind of container. */
  readonly endsWithRunner?: true
  /** The manifest does not have it: a controller adds it, to a pod that lives for one job or for many. */
  readonly added?: 'one-job' | 'many-jobs'
  /** The container as written. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** A container engine that never ends by itself. */
export type Daemon = {
  readonly engine: Engine
  /** `high`: its image or command shows it; `medium`: only its shape does. */
  readonly confidence: 'high' | 'medium'
}

/** The owner of the pod, as far as it decides how the pod ends. */
export type PodOwner =
  | 'Pod'
  | 'Job'
  | 'CronJob'
  /** KEDA's kind, which creates Jobs and deletes the old ones itself. */
  | 'ScaledJob'
  /** Deployment, StatefulSet, DaemonSet, ReplicaSet: its pods run indefinitely. */
  | 'service'
  /** ARC: AutoscalingRunnerSet, EphemeralRunnerSet, EphemeralRunner, or the values of its chart. */
  | 'arc'
  | 'RunnerSet'
  /** A custom resource that the doctor does not know. Its controller may delete the pod. */
  | 'custom'

export type PodView = {
  readonly object: ObjectRef
  /** The number of the document with the pod; undefined for live objects. */
  readonly document: number | undefined
  readonly owner: PodOwner
  /** The pod should end: that of a Job, a CronJob or a runner, or a bare pod with Never or OnFailure. */
  readonly runsToCompletion: boolean
  /** Whether the pod is, or looks like, that of a CI runner. `runner` names the runner's container, if it is known. */
  readonly isRunner: boolean
  readonly runner: string | undefined
  /** The path of the pod spec. */
  readonly path: Path
  readonly restartPolicy: string | undefined
  readonly terminationGracePeriodSeconds: number | undefined
  readonly hostPID: boolean
  readonly shareProcessNamespace: boolean
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** Init containers and sidecars in their order, then containers. */
  readonly containers: readonly ContainerView[]
  /** The containers that run a container engine. */
  readonly daemons: ReadonlyMap<ContainerView, Daemon>
  readonly volumes: readonly {
    readonly name: string
    readonly path: Path
    readonly raw: Readonly<Record<string, unknown>>
  }[]
  /** The object as written, or as the API server returned it. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The same values as on the object's fact. */
  readonly version?: VersionFact | undefined
  readonly delivery?: Delivery | undefined
}
