// One normalised view of a pod spec, wherever it stands: Pod, Job, CronJob, Deployment, runner set, live or in a file. Every part knows its path.

import type { Path } from '../lib/read-json.ts'
import type { ObjectRef } from './finding.ts'
import type { VersionFact } from './version-fact.ts'

export type ProbeView = { readonly path: Path }

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
  /** By mountPath: the volume's name. */
  readonly mounts: Readonly<Record<string, string>>
  readonly startupProbe: ProbeView | undefined
  readonly livenessProbe: ProbeView | undefined
  readonly readinessProbe: ProbeView | undefined
  readonly postStart: { readonly path: Path; readonly exec: readonly string[] | undefined } | undefined
  readonly preStop: { readonly path: Path; readonly exec: readonly string[] | undefined } | undefined
  /** The container as it is written. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** A container engine that serves until somebody ends it. */
export type Daemon = {
  readonly engine: 'docker' | 'buildkit' | 'podman'
  /** `high`: it says so itself; `medium`: its shape says so. */
  readonly confidence: 'high' | 'medium'
}

/** What the pod belongs to, as far as its life is concerned. */
export type PodOwner =
  | 'Pod'
  | 'Job'
  | 'CronJob'
  /** KEDA's: makes Jobs, and deletes the old ones itself. */
  | 'ScaledJob'
  /** Deployment, StatefulSet, DaemonSet, ReplicaSet: runs for ever. */
  | 'service'
  /** ARC: AutoscalingRunnerSet, EphemeralRunnerSet, EphemeralRunner, or the values of its chart. */
  | 'arc'
  | 'RunnerSet'

export type PodView = {
  readonly object: ObjectRef
  /** The document of the facts in which it stands; undefined for live objects. */
  readonly document: number | undefined
  readonly owner: PodOwner
  /** The pod is meant to end: Job, CronJob, runner, or a bare pod with Never or OnFailure. */
  readonly runsToCompletion: boolean
  /** It is, or looks like, a CI runner; the container that is the runner, if it is known. */
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
  /** Those of them that run a container engine. */
  readonly daemons: ReadonlyMap<ContainerView, Daemon>
  readonly volumes: readonly {
    readonly name: string
    readonly path: Path
    readonly raw: Readonly<Record<string, unknown>>
  }[]
  /** The object as it is written, or as the API server gave it. */
  readonly raw: Readonly<Record<string, unknown>>
  /** As its object's. */
  readonly version?: VersionFact | undefined
}
