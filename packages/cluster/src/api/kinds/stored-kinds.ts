// Kinds that the API server stores so that charts and clients can install, read and remove them. Only their fields are checked,
// and nothing acts on them. docs/embedded-cluster.md says so.

export type StoredKind = {
  readonly plural: string
  readonly kind: string
  readonly group?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly clusterWide?: true
  readonly hasStatus?: true
  /** Names the kind that a client uses instead of this workload, whose pods nothing starts. */
  readonly instead?: string
}

const networking = 'networking.k8s.io'
const admission = 'admissionregistration.k8s.io'
const webhooks = { group: admission, clusterWide: true, categories: ['api-extensions'] } as const
const workload = { categories: ['all'], hasStatus: true } as const

export const storedKinds: readonly StoredKind[] = [
  { plural: 'cronjobs', kind: 'CronJob', group: 'batch', shortNames: ['cj'], ...workload, instead: 'a Job' },
  { plural: 'daemonsets', kind: 'DaemonSet', group: 'apps', shortNames: ['ds'], ...workload, instead: 'a Deployment' },
  {
    plural: 'statefulsets',
    kind: 'StatefulSet',
    group: 'apps',
    shortNames: ['sts'],
    ...workload,
    instead: 'a Deployment',
  },
  { plural: 'services', kind: 'Service', shortNames: ['svc'], categories: ['all'], hasStatus: true },
  { plural: 'podtemplates', kind: 'PodTemplate' },
  { plural: 'endpoints', kind: 'Endpoints', shortNames: ['ep'] },
  { plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', shortNames: ['pvc'], hasStatus: true },
  { plural: 'persistentvolumes', kind: 'PersistentVolume', shortNames: ['pv'], clusterWide: true, hasStatus: true },
  { plural: 'endpointslices', kind: 'EndpointSlice', group: 'discovery.k8s.io' },
  { plural: 'networkpolicies', kind: 'NetworkPolicy', group: networking, shortNames: ['netpol'] },
  { plural: 'ingresses', kind: 'Ingress', group: networking, shortNames: ['ing'], hasStatus: true },
  { plural: 'ingressclasses', kind: 'IngressClass', group: networking, clusterWide: true },
  { plural: 'storageclasses', kind: 'StorageClass', group: 'storage.k8s.io', shortNames: ['sc'], clusterWide: true },
  { plural: 'validatingwebhookconfigurations', kind: 'ValidatingWebhookConfiguration', ...webhooks },
  { plural: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy', ...webhooks, hasStatus: true },
  { plural: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding', ...webhooks },
]
