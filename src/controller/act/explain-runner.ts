// Asks the cluster's events why a runner does not start: the one live read, and only for a runner in trouble.
import type { Runner } from '../../model/runner.ts'
import { type EventObject, explainStart } from '../observe/explain.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { events, pods } from '../resources.ts'
import type { ActContext } from './context.ts'

export async function explainRunner(context: ActContext, runner: Runner): Promise<void> {
  const { kubernetes, cache, clock, signal } = context
  const { name, pod } = runner
  const { namespace } = cache.set
  try {
    const uid = pod.is === 'present' ? pod.value.uid : ''
    const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${uid}`
    const { items } = await kubernetes.list(events, { namespace, fieldSelector, signal })
    const object = (await kubernetes.get(pods, { namespace, name }, { signal })) as unknown as PodObject
    const containers = [...(object.spec?.initContainers ?? []), ...(object.spec?.containers ?? [])]
    const hooked = containers.some(({ lifecycle }) => lifecycle !== undefined)
    cache.explained(name, explainStart(items as unknown as readonly EventObject[], hooked), clock.now())
  } catch {
    // No answer explains nothing; the question is asked again when the runner is looked at next.
    cache.explained(name, runner.explained, clock.now())
  }
  cache.table.settle(name)
}
