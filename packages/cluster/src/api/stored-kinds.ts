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
}

const networking = 'networking.k8s.io'
const admission = 'admissionregistration.k8s.io'
const webhooks = { group: admission, clusterWide: true, categories: ['api-extensions'] } as const

export const storedKinds: readonly StoredKind[] = [
  { plural: 'services', kind: 'Service', shortNames: ['svc'], categories: ['all'], hasStatus: true },
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
