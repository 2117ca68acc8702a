// Checks the Lease before each write to the cluster or to a forge: a process that was suspended runs code before its timers.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Leadership } from '@dayfly/kubernetes/lease'

/** Returns whether leadership is certain now. */
export function isLeading(leadership: Leadership): boolean {
  return !leadership.signal.aborted && leadership.isCertain()
}

/** Returns the client's verbs for the leader. If leadership is no longer certain, a write is refused before it is sent, also one that has waited for its turn. */
export function guarded(kubernetes: Kubernetes, leadership: Leadership): Kubernetes {
  const allowed = () => {
    if (!isLeading(leadership)) throw new KubernetesError('unavailable', 'this process is no longer the leader')
  }
  return {
    get: kubernetes.get,
    list: kubernetes.list,
    create: (resource, object, options) => kubernetes.create(resource, object, { ...options, allowed }),
    replace: (resource, object, options) => kubernetes.replace(resource, object, { ...options, allowed }),
    patch: (resource, at, patch, options) => kubernetes.patch(resource, at, patch, { ...options, allowed }),
    delete: (resource, at, options) => kubernetes.delete(resource, at, { ...options, allowed }),
  }
}
