// The StatefulSet controller keeps pods with stable names, in order (Kubernetes: pkg/controller/statefulset).
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'
import { startObjectLoop } from '../object-loop.ts'
import { asStatefulSet } from './stateful-set-object.ts'
import { syncStatefulSet } from './sync-stateful-set.ts'

/** Starts the controller. Returns a function that stops it. */
export function startStatefulSetController(options: {
  readonly registry: Registry
  readonly clock: Clock
}): () => void {
  return startObjectLoop({
    ...options,
    resource: 'statefulsets.apps',
    kind: 'StatefulSet',
    component: 'statefulset-controller',
    owned: ['pods'],
    adopts: true,
    reconcile: (context, object) => syncStatefulSet(context, asStatefulSet(object)),
  }).stop
}
