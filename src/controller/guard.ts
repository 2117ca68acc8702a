// Each write checks the lease: a process that slept runs code before its timers do.
import { KubernetesError } from '../kubernetes/errors.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { Leadership } from '../kubernetes/lease.ts'
import type { Clock } from '../lib/clock.ts'

/** The client's verbs for the leader alone: a write is refused here, before it is sent, when leadership is not certain any more. */
export function guarded(kubernetes: Kubernetes, leadership: Leadership, clock: Clock): Kubernetes {
  const check = () => {
    if (leadership.signal.aborted || clock.now() >= leadership.validUntil()) {
      throw new KubernetesError('unavailable', 'this process does not lead any more')
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
