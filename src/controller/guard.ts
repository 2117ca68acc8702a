// Checks the Lease before each write: a process that was suspended runs code before its timers.
import { KubernetesError } from '../kubernetes/errors.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { Leadership } from '../kubernetes/lease.ts'
import type { Clock } from '../lib/clock.ts'

/** Returns the client's verbs for the leader. If leadership is no longer certain, a write is refused before it is sent. */
export function guarded(kubernetes: Kubernetes, leadership: Leadership, clock: Clock): Kubernetes {
  const check = () => {
    if (leadership.signal.aborted || clock.now() >= leadership.validUntil()) {
      throw new KubernetesError('unavailable', 'this process is no longer the leader')
    }
  }
  return {
    get: kubernetes.get,
    list: kubernetes.list,
    create: async (...call) => {
      check()
      return kubernetes.create(...call)
    },
    replace: async (...call) => {
      check()
      return kubernetes.replace(...call)
    },
    patch: async (...call) => {
      check()
      return kubernetes.patch(...call)
    },
    delete: async (...call) => {
      check()
      return kubernetes.delete(...call)
    },
  }
}
