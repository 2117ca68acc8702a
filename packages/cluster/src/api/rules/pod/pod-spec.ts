// The parts of a pod that the rules read. decode-struct.ts has checked their types.
import type { StoredObject } from '../../../store/object.ts'
import type { Draft } from '../../verbs/draft.ts'

export type Quantities = { [resource: string]: string }

export type Handler = {
  exec?: { command?: string[] }
  httpGet?: { path?: string; port?: number | string; scheme?: string }
  tcpSocket?: { port?: number | string }
  grpc?: { port?: number; service?: string }
  sleep?: { seconds?: number }
}

export type Probe = Handler & {
  initialDelaySeconds?: number
  timeoutSeconds?: number
  periodSeconds?: number
  successThreshold?: number
  failureThreshold?: number
  terminationGracePeriodSeconds?: number
}

export type KeyRef = { name?: string; key?: string; optional?: boolean }

export type EnvVar = {
  name?: string
  value?: string
  valueFrom?: {
    fieldRef?: FieldRef
    resourceFieldRef?: { resource?: string; divisor?: string }
    configMapKeyRef?: KeyRef
    secretKeyRef?: KeyRef
  }
}

type RestartRule = { action?: string; exitCodes?: { operator?: string; values?: number[] } }

export type Container = {
  name?: string
  image?: string
  imagePullPolicy?: string
  env?: EnvVar[]
  envFrom?: { prefix?: string; configMapRef?: { name?: string }; secretRef?: { name?: string } }[]
  ports?: { name?: string; containerPort?: number; hostPort?: number; hostIP?: string; protocol?: string }[]
  volumeMounts?: { name?: string; readOnly?: boolean; mountPath?: string; subPath?: string; subPathExpr?: string }[]
  resources?: { limits?: Quantities; requests?: Quantities }
  restartPolicy?: string
  restartPolicyRules?: RestartRule[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: { postStart?: Handler; preStop?: Handler }
  terminationMessagePath?: string
  terminationMessagePolicy?: string
}

type FieldRef = { apiVersion?: string; fieldPath?: string }

type FileItems = {
  defaultMode?: number
  items?: { key?: string; path?: string; mode?: number; fieldRef?: FieldRef }[]
}

export type Volume = {
  name?: string
  emptyDir?: { medium?: string; sizeLimit?: string }
  secret?: FileItems & { secretName?: string }
  configMap?: FileItems & { name?: string }
  hostPath?: { path?: string; type?: string }
  downwardAPI?: FileItems
  projected?: {
    defaultMode?: number
    sources?: {
      downwardAPI?: FileItems
      serviceAccountToken?: { expirationSeconds?: number; path?: string }
      configMap?: FileItems & { name?: string }
    }[]
  }
  [source: string]: unknown
}

export type Toleration = {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export type PodSpec = {
  containers?: Container[]
  initContainers?: Container[]
  ephemeralContainers?: unknown[]
  volumes?: Volume[]
  tolerations?: Toleration[]
  schedulingGates?: { name?: string }[]
  restartPolicy?: string
  dnsPolicy?: string
  terminationGracePeriodSeconds?: number
  activeDeadlineSeconds?: number
  securityContext?: object
  schedulerName?: string
  serviceAccountName?: string
  serviceAccount?: string
  automountServiceAccountToken?: boolean
  imagePullSecrets?: { name?: string }[]
  enableServiceLinks?: boolean
  priority?: number
  priorityClassName?: string
  preemptionPolicy?: string
  runtimeClassName?: string
  overhead?: Quantities
  resources?: { limits?: Quantities; requests?: Quantities }
  hostNetwork?: boolean
  nodeName?: string
  nodeSelector?: Record<string, string>
  hostname?: string
  subdomain?: string
}

export type ContainerStatus = { name?: string; state?: { terminated?: { exitCode?: number } } }

export type PodStatus = {
  phase?: string
  qosClass?: string
  observedGeneration?: number
  conditions?: { type?: string; observedGeneration?: number }[]
  containerStatuses?: ContainerStatus[]
  initContainerStatuses?: ContainerStatus[]
}

/** Returns the spec of a decoded pod. */
export function specOf(pod: Draft | StoredObject): PodSpec {
  return (pod['spec'] ?? {}) as PodSpec
}

/** Returns the status of a decoded pod. */
export function statusOf(pod: Draft | StoredObject): PodStatus {
  return (pod['status'] ?? {}) as PodStatus
}
