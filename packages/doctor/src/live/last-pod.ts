// Judges what the deletion of a Job's last pod does to the Job.
import { listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import { containerStates } from '../pods/container-states.ts'
import type { Cluster } from './cluster.ts'

type Judged = {
  /** Ends the sentence that says why the step is right. */
  readonly says: string
  /** The order of steps that lets the Job succeed. */
  readonly advice: string
}

/**
 * The Job controller counts a pod as failed as soon as it is being deleted. Returns undefined if that is no loss: the runner failed too, or
 * the Job waits until its pod has ended (podReplacementPolicy Failed, and every Job with a podFailurePolicy).
 * See https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy.
 */
export function judgeLastPod(cluster: Cluster, pod: ObjectFact, job: ObjectFact): Judged | undefined {
  const runner = cluster.podView(pod.object.uid ?? '')?.runner
  const states = containerStates(pod.raw, 'containerStatuses')
  if (states.find(({ name }) => name === runner)?.exitCode !== 0 || waitsForEnd(job)) return undefined
  const { namespace, name } = pod.object
  const says = `Job ${job.object.name} counts the deleted pod as failed (backoffLimit ${numberAt(job.raw, 'spec', 'backoffLimit') ?? 6}), so it ends as Failed although its runner succeeded`
  const commands = states
    .filter(({ state }) => state === 'running')
    .map((helper) => `kubectl exec -n ${namespace} ${name} -c ${helper.name} -- kill 1`)
  const advice = `to let Job ${job.object.name} complete, end the helper and do not delete the pod, which then succeeds by itself: ${commands.join('; ')}`
  return { says, advice }
}

function waitsForEnd({ raw }: ObjectFact): boolean {
  const hasPolicy = listAt(raw, 'spec', 'podFailurePolicy', 'rules').length > 0
  return (
    textAt(raw, 'spec', 'podReplacementPolicy') === 'Failed' ||
    (hasPolicy && valueAt(raw, 'spec', 'podReplacementPolicy') === undefined)
  )
}
