// The Node object of this kubelet and its Lease: capacity, conditions, and the regular renewal that shows that the node is alive.
import type { Clock } from '@dayfly/kit/clock'
import { microTimestamp, timestamp } from '@dayfly/kit/timestamp'
import type { Registry } from '../api/registry.ts'
import { hostAddress } from './pod-address.ts'

export type NodeDescription = {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly object[]
  /** Kubernetes quantities: `cpu`, `memory`, `pods`. */
  readonly capacity: Readonly<Record<string, string>>
}

const renewMs = 10_000
const leaseSeconds = 40

/** Creates the Node and its Lease if they are missing, reports the node as ready, and renews the Lease. Returns a function that stops the renewal. */
export function keepNode(
  registry: Registry,
  clock: Clock,
  node: NodeDescription,
  versions: { readonly kubelet: string; readonly runtime: string },
): () => void {
  const { name, labels, taints, capacity } = node
  const known = registry.get('nodes', undefined, name)
  const registered =
    known ??
    registry.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch,
          ...labels,
        },
      },
      spec: taints ? { taints } : {},
    })
  registry.update('nodes', { ...registered, status: nodeStatus(clock, capacity, versions) }, { subresource: 'status' })
  let timer = clock.after(0, () => {})
  const renew = () => {
    renewLease(registry, clock, name)
    timer = clock.after(renewMs, renew)
  }
  renew()
  return () => timer.cancel()
}

function nodeStatus(
  clock: Clock,
  capacity: Readonly<Record<string, string>>,
  { kubelet, runtime }: { readonly kubelet: string; readonly runtime: string },
): object {
  const now = timestamp(clock.now())
  const condition = (type: string, status: string, reason: string, message: string) => {
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now }
  }
  return {
    capacity,
    allocatable: capacity,
    addresses: [{ type: 'InternalIP', address: hostAddress }],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    nodeInfo: {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      operatingSystem: 'linux',
      osImage: 'the host',
      kernelVersion: '',
      machineID: '',
      systemUUID: '',
      bootID: '',
      containerRuntimeVersion: runtime,
      kubeletVersion: kubelet,
      kubeProxyVersion: '',
    },
  }
}

function renewLease(registry: Registry, clock: Clock, node: string): void {
  const namespace = 'kube-node-lease'
  const current = registry.get('leases.coordination.k8s.io', namespace, node)
  const renewTime = microTimestamp(clock.now())
  const spec = { holderIdentity: node, leaseDurationSeconds: leaseSeconds, renewTime }
  if (current) registry.update('leases.coordination.k8s.io', { ...current, spec })
  else {
    const metadata = { name: node, namespace }
    registry.create('leases.coordination.k8s.io', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec,
    })
  }
}
