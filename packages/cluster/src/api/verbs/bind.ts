// The binding subresource: the scheduler assigns a pod to a node.
import { timestamp } from '@dayfly/kit/timestamp'
import { keyOf } from '../../store/object.ts'
import { type Api, kindOf } from '../api.ts'
import { conflict, notFound } from '../errors.ts'
import { isObject } from '../values/json.ts'

export function bind(api: Api, namespace: string, pod: string, node: string): void {
  const current = api.store.get('pods', keyOf(namespace, pod))
  if (current === undefined) throw notFound(kindOf(api, 'pods'), pod)
  const refuse = (why: string): Error => conflict({ group: '', kind: 'pods/binding' }, pod, why)
  const { spec, status } = current
  if (current.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${pod} is being deleted, cannot be assigned to a host`)
  }
  const bound = isObject(spec) ? spec['nodeName'] : undefined
  if (typeof bound === 'string' && bound !== '') throw refuse(`pod ${pod} is already assigned to node "${bound}"`)
  if (isObject(spec) && Array.isArray(spec['schedulingGates']) && spec['schedulingGates'].length > 0) {
    throw refuse(`pod ${pod} has non-empty .spec.schedulingGates`)
  }
  const known = isObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : []
  const others = known.filter((condition) => !isObject(condition) || condition['type'] !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(api.clock.now()) }
  api.store.put('pods', {
    ...current,
    spec: { ...(isObject(spec) ? spec : {}), nodeName: node },
    status: { ...(isObject(status) ? status : {}), conditions: [...others, scheduled] },
  })
}
