// A pod as the kubelet reads it. The API server has validated stored objects, so their shape is not checked again.
import type { PullPolicy } from '../runtime/runtime.ts'
import type { ObjectMeta, StoredObject } from '../store/object.ts'

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never'

export type HttpGet = {
  readonly host?: string
  /** A number, or the name of one of the container's ports. */
  readonly port: number | string
  readonly path?: string
  readonly scheme?: string
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[]
}

export type Action = {
  readonly exec?: { readonly command: readonly string[] }
  readonly sleep?: { readonly seconds: number }
  readonly httpGet?: HttpGet
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string }
  readonly grpc?: object
}

export type Probe = Action & {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
}

type KeyRef = { readonly name: string; readonly key: string; readonly optional?: boolean }
type NameRef = { readonly name: string; readonly optional?: boolean }

export type EnvVar = {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly secretKeyRef?: KeyRef
    readonly configMapKeyRef?: KeyRef
    readonly fieldRef?: { readonly fieldPath: string }
    readonly resourceFieldRef?: ResourceField
  }
}

export type EnvSource = { readonly prefix?: string; readonly secretRef?: NameRef; readonly configMapRef?: NameRef }

export type RestartRule = {
  readonly action: string
  readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] }
}

export type VolumeMount = {
  readonly name: string
  readonly mountPath: string
  readonly subPath?: string
  readonly subPathExpr?: string
}

/** A request or limit of a container, in units of the divisor. */
export type ResourceField = {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string | number
}

export type Container = {
  readonly name: string
  readonly image: string
  readonly imagePullPolicy?: PullPolicy
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly env?: readonly EnvVar[]
  readonly envFrom?: readonly EnvSource[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly restartPolicy?: RestartPolicy
  readonly restartPolicyRules?: readonly RestartRule[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly lifecycle?: { readonly postStart?: Action; readonly preStop?: Action }
}

export type KeyToPath = { readonly key: string; readonly path: string; readonly mode?: number }

/** The source of a projected volume, or of a volume of its own. */
export type FileSource = {
  readonly secret?: {
    readonly secretName?: string
    readonly name?: string
    readonly items?: readonly KeyToPath[]
    readonly optional?: boolean
  }
  readonly configMap?: { readonly name: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly serviceAccountToken?: {
    readonly path: string
    readonly audience?: string
    readonly expirationSeconds?: number
  }
  readonly downwardAPI?: {
    readonly items?: readonly {
      readonly path: string
      readonly fieldRef?: { readonly fieldPath: string }
      readonly resourceFieldRef?: ResourceField
      readonly mode?: number
    }[]
  }
}

export type PodVolume = FileSource & {
  readonly name: string
  readonly emptyDir?: object
  readonly projected?: { readonly sources?: readonly FileSource[]; readonly defaultMode?: number }
}

export type PodCondition = {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime: string
  readonly [field: string]: unknown
}

export type Pod = StoredObject & {
  readonly metadata: ObjectMeta & { readonly namespace: string }
  readonly spec: {
    readonly hostNetwork?: boolean
    readonly nodeName?: string
    readonly serviceAccountName?: string
    readonly restartPolicy: RestartPolicy
    readonly terminationGracePeriodSeconds?: number
    readonly activeDeadlineSeconds?: number
    readonly hostPID?: boolean
    readonly shareProcessNamespace?: boolean
    readonly readinessGates?: readonly { readonly conditionType: string }[]
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly volumes?: readonly PodVolume[]
    readonly imagePullSecrets?: readonly { readonly name?: string }[]
  }
  readonly status: {
    readonly phase: string
    readonly conditions?: readonly PodCondition[]
    readonly containerStatuses?: readonly { readonly name: string; readonly restartCount: number }[]
    readonly initContainerStatuses?: readonly { readonly name: string; readonly restartCount: number }[]
    readonly [field: string]: unknown
  }
}

export function asPod(object: StoredObject): Pod {
  return object as Pod
}

/** The name of a pod in Kubernetes' messages: `name_namespace(uid)`. */
export function podLabel({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`
}
