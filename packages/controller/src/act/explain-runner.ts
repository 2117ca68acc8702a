// Reads the cluster's Events to find why a runner does not start or end: the one live read, and only for a runner that is held up.
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { explainPod } from '../observe/explain.ts'
import type { EventObject, PodObject } from '../observe/pod-object.ts'
import { events, pods } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful } from './unsuccessful.ts'

type ExplainResult = Extract<Outcome, { action: 'explain-runner' }>['result']

export async function explainRunner(context: ActContext, name: string, podUid: string): Promise<ExplainResult> {
  const { kubernetes, set, signal } = context
  const { namespace } = set
  try {
    const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${podUid}`
    const { items } = await kubernetes.list(events, { namespace, fieldSelector, signal })
    const pod = (await kubernetes.get(pods, { namespace, name }, { signal })) as unknown as PodObject
    return { is: 'explained', cause: explainPod(items as unknown as readonly EventObject[], pod) }
  } catch (error) {
    return clusterUnsuccessful(error, signal)
  }
}
