// The addresses of pods. All pods use the host's network, whose loopback interface has all of 127.0.0.0/8. With an address of its own,
// each pod can listen on the ports of the others (docs/decisions/0019-pod-addresses.md).
import { createHash } from 'node:crypto'

/** The address of the host itself. Pods with `hostNetwork` have it, too. */
export const hostAddress = '127.0.0.1'

type Addressed = { readonly metadata: { readonly uid: string }; readonly spec: { readonly hostNetwork?: boolean } }

/** Returns the pod's address. It follows from the pod's UID, so that it stays the same after a restart of the kubelet. */
export function podAddress({ metadata, spec }: Addressed): string {
  if (spec.hostNetwork) return hostAddress
  const [second = 0, third = 0, last = 0] = createHash('sha256').update(metadata.uid).digest()
  // The host uses 127.0.0.0/16 itself. A last byte of 0 or 255 looks like a network or a broadcast.
  return `127.${1 + (second % 254)}.${third}.${1 + (last % 254)}`
}
