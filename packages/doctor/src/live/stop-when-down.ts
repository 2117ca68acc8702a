// Stops asking a server that is down. Each request would be retried for a while, and an examination has many requests.
import { TransportError } from '@dayfly/kit/http'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { isBuiltIn } from './resources.ts'

/** Consecutive built-in kinds without an answer. */
const failuresMax = 2

export type Lister = Pick<Kubernetes, 'list'> & {
  /** Whether the server is certainly down. Every further list then fails at once. */
  isDown(): boolean
}

export function stopWhenDown(kubernetes: Pick<Kubernetes, 'list'>): Lister {
  let last: KubernetesError | undefined
  let hasAnswered = false
  let failures = 0
  return {
    isDown: () => last !== undefined,
    list: async (resource, options) => {
      if (last) throw last
      try {
        const list = await kubernetes.list(resource, options)
        hasAnswered = true
        failures = 0
        return list
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error
        if (error.status > 0) hasAnswered = true
        if (!isSilence(error)) throw error
        // A custom kind may fail alone, because another server converts it.
        if (isBuiltIn(resource)) failures++
        if (!hasAnswered || isUnreachable(error) || failures >= failuresMax) last = error
        throw error
      }
    },
  }
}

/** Whether the server gave no usable answer, not even a refusal. */
export function isSilence({ kind }: KubernetesError): boolean {
  return kind === 'rate-limited' || kind === 'unavailable'
}

function isUnreachable({ cause }: KubernetesError): boolean {
  return cause instanceof TransportError && cause.kind !== 'lost'
}
