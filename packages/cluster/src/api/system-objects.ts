// The objects that every cluster has. A cluster that starts on kept data may have them already.
import { clusterRoleBindings, clusterRoles, defaultClusterRoleBindings, defaultClusterRoles } from './default-roles.ts'
import type { Registry } from './registry.ts'
import { priorityClasses, systemPriorities } from './rules/classes.ts'
import type { JsonObject } from './values/json.ts'

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

const serviceAt = { namespace: 'default', name: 'kubernetes' }

type ServerMetadata = typeof serviceAt & { readonly labels: Readonly<Record<string, string>> }

export function createSystemObjects(registry: Registry): void {
  for (const name of namespaces) {
    if (!registry.get('namespaces', undefined, name)) registry.create('namespaces', { metadata: { name } })
  }
  const objects = [
    ...systemPriorities.map((priority) => [priorityClasses, priority] as const),
    ...defaultClusterRoles.map((role) => [clusterRoles, role] as const),
    ...defaultClusterRoleBindings.map((binding) => [clusterRoleBindings, binding] as const),
  ]
  for (const [resource, object] of objects) {
    if (!registry.get(resource, undefined, object.metadata.name)) registry.create(resource, object)
  }
}

/** Points the Service `kubernetes`, its Endpoints and its EndpointSlice at the API server. A pod shares the network of its host, so the address is local. */
export function publishServer(
  registry: Registry,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  const ports = [{ name: 'https', port, protocol: 'TCP' }]
  const labels = { component: 'apiserver', provider: 'kubernetes' }
  write(registry, 'services', {
    metadata: { ...serviceAt, labels },
    spec: {
      ...{
        type: 'ClusterIP',
        clusterIP: host,
        clusterIPs: [host],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      ...{ internalTrafficPolicy: 'Cluster', sessionAffinity: 'None' },
      ports: ports.map((one) => ({ ...one, targetPort: port })),
    },
  })
  write(registry, 'endpoints', {
    // The EndpointSlice is not made from it.
    metadata: { ...serviceAt, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: host }], ports }],
  })
  write(registry, 'endpointslices.discovery.k8s.io', {
    metadata: { ...serviceAt, labels: { 'kubernetes.io/service-name': serviceAt.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports,
  })
}

/** Creates the object, or replaces the one of an earlier start. */
function write(registry: Registry, resource: string, object: JsonObject & { readonly metadata: ServerMetadata }): void {
  const { namespace, name } = object.metadata
  if (registry.get(resource, namespace, name)) registry.update(resource, object)
  else registry.create(resource, object)
}
