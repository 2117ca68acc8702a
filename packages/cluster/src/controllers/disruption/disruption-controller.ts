// The disruption controller keeps the status of PodDisruptionBudgets: how many of their pods are healthy, and how many may be
// disrupted now (Kubernetes: pkg/controller/disruption).
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'
import { budgets, coversPod, withDisruptionCondition } from '../../api/values/budget.ts'
import { objectAt } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { type Reconciliation, startObjectLoop } from '../object-loop.ts'
import { countPods, NotCountable } from './count-pods.ts'

type Options = { readonly registry: Registry; readonly clock: Clock }

/** The kinds whose scale a budget may count. */
const scaled = ['deployments.apps', 'replicasets.apps', 'statefulsets.apps'] as const

/** Starts the controller. Returns a function that stops it. */
export function startDisruptionController({ registry, clock }: Options): () => void {
  const kind = { resource: budgets, kind: 'PodDisruptionBudget', component: 'controllermanager', owned: [] }
  const loop = startObjectLoop({ registry, clock, ...kind, reconcile: sync })
  const wake = (namespace: string | undefined, isConcerned: (budget: StoredObject) => boolean): void => {
    for (const budget of registry.list(budgets, namespace)) {
      if (isConcerned(budget)) loop.wake(namespace, budget.metadata.name)
    }
  }
  const stops = [
    registry.subscribe('pods', ({ object, before }) =>
      wake(
        object.metadata.namespace,
        (budget) => coversPod(budget, object) || (before !== undefined && coversPod(budget, before)),
      ),
    ),
    ...scaled.map((resource) =>
      registry.subscribe(resource, ({ object, before }) => {
        if (object['spec'] !== before?.['spec']) wake(object.metadata.namespace, () => true)
      }),
    ),
  ]
  return () => {
    for (const stop of stops) stop()
    loop.stop()
  }
}

function sync({ registry, clock, events, again }: Reconciliation, budget: StoredObject): void {
  const now = clock.now()
  const write = (object: StoredObject): void => void registry.update(budgets, object, { subresource: 'status' })
  try {
    const { pods, unmanaged, recheckMs, ...counts } = countPods(registry, budget, now)
    if (pods === 0) events.record('Normal', 'NoPods', 'No matching pods found')
    if (unmanaged) events.record('Warning', 'UnmanagedPods', unmanagedPods)
    const { currentHealthy, desiredHealthy, expectedPods } = counts
    const spare = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
    const { conditions } = objectAt(budget, 'status')
    const observedGeneration = budget.metadata.generation ?? 0
    const status = { ...counts, disruptionsAllowed: spare, observedGeneration, conditions }
    write(withDisruptionCondition({ ...budget, status }, now))
    if (recheckMs !== undefined) again(recheckMs)
  } catch (error) {
    if (!(error instanceof NotCountable)) throw error
    events.record(
      'Warning',
      'CalculateExpectedPodCountFailed',
      `Failed to calculate the number of expected pods: ${error.message}`,
    )
    const status = { ...objectAt(budget, 'status'), disruptionsAllowed: 0 }
    write(withDisruptionCondition({ ...budget, status }, now, error.message))
  }
}

const unmanagedPods =
  'Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
