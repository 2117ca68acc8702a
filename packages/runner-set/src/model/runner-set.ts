// A runner set: the configured kind of runner.

import type { PoolPart } from './pool.ts'
import type { RerunPolicy } from './rerun.ts'
import type { ScheduleWindow } from './schedule.ts'
import type { UsualDemandPolicy } from './usual-demand.ts'

/** A PodTemplateSpec as the user wrote it. packages/runner-set/src/core/pod.ts merges it over the default. */
export type PodTemplate = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: Readonly<Record<string, unknown>>
}

export type ForgeKind = 'github' | 'bitbucket' | 'gitea'

/** The forge of a set, and the way to it. */
export type ForgeSource = {
  readonly kind: ForgeKind
  /** Where runners register: a repository, or what holds several. */
  readonly url: string
  /** The operator allows that the credential goes over the network in clear text, and it does. */
  readonly plainHttp?: boolean
  /** The Secret in the set's namespace that holds the credential. */
  readonly credentialsSecret: string
  /** Undefined for the forge's default group. A forge without groups has none. */
  readonly runnerGroup: string | undefined
  readonly labels: readonly string[]
  /** How jobs are repeated that the infrastructure broke; absent: not at all. */
  readonly rerun?: RerunPolicy
  /** The image in which the runner runs each job that names none; absent: the runner runs such a job itself. */
  readonly jobImage?: string
  /** The forward proxy for every request to the forge. */
  readonly proxy: Proxy | undefined
  /** The certificates that are trusted in addition to the public ones. */
  readonly ca: CertificateSource | undefined
}

export type Proxy = {
  readonly url: string
  /** The Secret in the set's namespace with the keys `username` and `password`. */
  readonly credentialsSecret: string | undefined
  /** Hosts, domain suffixes, addresses and CIDR blocks that need no proxy. */
  readonly noProxy: readonly string[]
}

/** A key of an object in the set's namespace whose value is PEM text. */
export type CertificateSource = {
  readonly kind: 'config-map' | 'secret'
  readonly name: string
  readonly key: string
}

export type Scale = {
  /** Idle spares on top of demand. With `percentage`, the fewest runners. */
  readonly min: number
  /** The ceiling of pods that may run a container. */
  readonly max: number
  /** The number of runners follows the share of busy ones, as in Atlassian's autoscaler. Absent: idle spares. */
  readonly percentage?: PercentageScale
  /** The ceiling that the set shares with others of its namespace. */
  readonly pool?: PoolPart
  /** Windows of the week with a `min` of their own. Absent: `min` always holds. */
  readonly schedule?: readonly ScheduleWindow[]
  /** Absent: the demand of earlier weeks does not matter. */
  readonly usualDemand?: UsualDemandPolicy
}

/** The parameters of `percentageRunnersIdle` (docs/reference/bitbucket.md#s4-1). */
export type PercentageScale = {
  readonly scaleUpThreshold: number
  readonly scaleDownThreshold: number
  readonly scaleUpMultiplier: number
  readonly scaleDownMultiplier: number
  /** A younger runner is not ended for lack of work, in milliseconds. */
  readonly coolDownMs: number
}

/** `sidecar`: the pod has a privileged Docker Engine. `rootless`: it has one without privilege, in a user namespace of the pod. */
export type DockerKind = 'none' | 'sidecar' | 'rootless'

export type DockerEngine = {
  /** The URL of a registry mirror, from which the engine pulls first. */
  readonly mirror: string | undefined
  /** Registries without TLS, or with a certificate that the engine does not know: `host:port`. */
  readonly insecureRegistries: readonly string[]
  /** The size of the volume for images and layers, as a quantity, and the class of its claim. Without a class, it is on the disk of the node. */
  readonly storage: { readonly size: string; readonly storageClass: string | undefined }
}

export const defaultEngine: DockerEngine = {
  mirror: undefined,
  insecureRegistries: [],
  storage: { size: '20Gi', storageClass: undefined },
}

/** How the runners of a set make a pod for each job with a container. */
export type JobPods = {
  /** Its Role allows to create pods and Secrets, and to run commands in pods. */
  readonly serviceAccount: string
  /** The claim with the work folder that the runner and the pod of its job share. Undefined: the files are copied into the pod. */
  readonly work:
    | { readonly size: string; readonly storageClass: string | undefined; readonly accessMode: string }
    | undefined
  /** The key of a ConfigMap with a pod template that is merged over the pods of jobs. */
  readonly template: { readonly configMap: string; readonly key: string } | undefined
}

export const defaultJobPods: JobPods = { serviceAccount: 'dayfly-job-pods', work: undefined, template: undefined }

export type RunnerSet = {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly generation: number
  readonly source: ForgeSource
  /** The way of the runners to the network: the proxy and the certificates of their pods. */
  readonly network: Pick<ForgeSource, 'proxy' | 'ca'>
  readonly scale: Scale
  /** No runner starts, idle ones are removed, and busy ones finish. */
  readonly paused: boolean
  readonly docker: DockerKind
  /** How that engine is configured. */
  readonly dockerEngine: DockerEngine
  /** `pods`: a job with a container runs in a pod of its own, without a Docker Engine. */
  readonly jobs: 'host' | 'pods'
  /** How those pods are made. */
  readonly jobPods: JobPods
  /** `warn`: a template with a hazard runs, and the set shows the hazard. */
  readonly templateChecks: 'enforce' | 'warn'
  /** How long the pod and Secret of a runner that ended well are kept for debugging, in milliseconds. */
  readonly keepFinishedMs: number
  /** The same for a runner that failed. */
  readonly keepFailedMs: number
  /** How long a step of a start may take that has no bound of its own, in milliseconds. */
  readonly startMaxMs: number
  /** An idle runner that is older is replaced, in milliseconds. A set with a bound on one life always has it, and it is shorter. */
  readonly idleMaxMs: number | undefined
  /** The operator's bound on one life, in milliseconds. It ends busy runners, too. */
  readonly lifeMaxMs: number | undefined
  /** How long a job should wait at most, in milliseconds. Only the page compares with it. */
  readonly queueTimeMs: number | undefined
  readonly template: PodTemplate
  /** The sets that its sizes are. A set with sizes has no runners of its own. */
  readonly sizes?: readonly SetSize[]
}

/** One size of a set: a RunnerSet of its own. */
export type SetSize = {
  readonly name: string
  /** The name of that RunnerSet. */
  readonly set: string
  /** Whether a RunnerSet of that name is taken over. */
  readonly adopt: boolean
  /** In addition to those of the whole set. */
  readonly labels: readonly string[]
  /** The resources of the runner container, as its owner wrote them. */
  readonly resources: Readonly<Record<string, unknown>> | undefined
  /** It is merged over the template of the whole set. */
  readonly template: PodTemplate | undefined
  readonly min: number
  /** Windows as its owner wrote them; undefined without one. */
  readonly schedule: readonly object[] | undefined
  /** Undefined for the ceiling of the whole set. */
  readonly max: number | undefined
  readonly floor: number
  readonly weight: number
}
