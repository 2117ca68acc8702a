// Gives a new pod the volume through which it reaches the API server: a token, the certificate and the namespace.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/plugin/pkg/admission/serviceaccount/admission.go
import { randomName } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import type { StoredObject } from '../../../store/object.ts'
import type { Container, PodSpec } from './pod-spec.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The lifetime that Kubernetes writes into the volume. The kubelet's token lasts longer, as in Kubernetes. */
const seconds = 3607

export function addTokenVolume(spec: PodSpec, account: StoredObject | undefined, random: Random): void {
  const wanted = spec.automountServiceAccountToken ?? account?.['automountServiceAccountToken'] ?? true
  if (account === undefined || wanted !== true) return
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter((one) => !hasMount(one))
  if (containers.length === 0) return
  const known = spec.volumes?.find(({ name }) => name?.startsWith('kube-api-access-'))?.name
  const name = known ?? `kube-api-access-${randomName(random, 5)}`
  for (const container of containers) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }]
  }
  if (known === undefined) spec.volumes = [...(spec.volumes ?? []), { name, projected: structuredClone(projection) }]
}

function hasMount({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some((mount) => mount.mountPath === mountPath)
}

const namespaceField = { apiVersion: 'v1', fieldPath: 'metadata.namespace' }
const projection = {
  sources: [
    { serviceAccountToken: { expirationSeconds: seconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: namespaceField }] } },
  ],
  defaultMode: 0o644,
}
