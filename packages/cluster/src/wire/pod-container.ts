// Finds the container that a request for a pod's log or for a command means.
import { badRequest } from '../api/errors.ts'
import { list, text } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'

/**
 * Returns the name of the container. Throws a 400 for an unknown name, and for none if the pod has several containers:
 * kubectl chooses the default container itself.
 */
export function containerOf(pod: StoredObject, asked: string): string {
  const { name } = pod.metadata
  const main = list(pod, 'spec', 'containers').map((container) => text(container, 'name'))
  const all = [...list(pod, 'spec', 'initContainers').map((container) => text(container, 'name')), ...main]
  if (asked !== '') {
    if (all.includes(asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const [only = ''] = main
  if (main.length === 1) return only
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}
