// Facts about a pod that clients, controllers and rules ask for.
import { text } from './json.ts'

/** Returns the name of the pod's node. Empty if it has none. */
export function nodeOf(pod: object): string {
  return text(pod, 'spec', 'nodeName')
}

/** Returns whether all its containers have ended finally. */
export function hasEnded(pod: object): boolean {
  const phase = text(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}
