// A server that is out: each refusal takes its time, as it is asked again and again, and a look has many questions.
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import { TransportError } from '../../lib/http.ts'
import { isBuiltIn } from './resources.ts'

/** Built-in kinds in a row that were not answered. */
const failuresMax = 2

export type Lister = Pick<Kubernetes, 'list'> & {
  /** Whether the server is surely out: then that is the answer to everything, at once. */
  isOut(): boolean
}

export function untilOut(kubernetes: Pick<Kubernetes, 'list'>): Lister {
  let last: KubernetesError | undefined
  let hasAnswered = false
  let failures = 0
  return {
    isOut: () => last !== undefined,
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
        // A custom kind may fail by itself: its conversion is another server's.
        if (isBuiltIn(resource)) failures++
        if (!hasAnswered || isUnreachable(error) || failures >= failuresMax) last = error
        throw error
      }
    },
  }
}

/** No answer that makes sense: not even that it is not allowed. */
export function isSilence({ kind }: KubernetesError): boolean {
  return kind === 'rate-limited' || kind === 'unavailable'
}

function isUnreachable({ cause }: KubernetesError): boolean {
  return cause instanceof TransportError && cause.kind !== 'lost'
}
