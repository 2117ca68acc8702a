// Finds pods that should have been deleted by now, with the reason that the API shows.
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { PodView } from '../pod-view.ts'
import { containerStates } from '../pods/container-states.ts'
import { hitIn } from '../pods/pod-parts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { eventIndex } from '../read/objects/events.ts'
import { finalizersOf, overdueBy } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'stuck-terminating',
  code: 'LIV302',
  title: 'A pod should have been deleted by now',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Pod'], (live) => {
      const seen = { events: eventIndex(facts), nodes: nodesByName(facts) }
      return facts.pods.filter(({ object }) => object.kind === 'Pod').flatMap((pod) => check(pod, seen, live))
    }),
}

type Seen = {
  readonly events: ReturnType<typeof eventIndex>
  readonly nodes: ReadonlyMap<string, ObjectFact>
}

function nodesByName(facts: Facts): ReadonlyMap<string, ObjectFact> {
  return new Map(objectsOf(facts, 'Node').map((node) => [node.object.name, node]))
}

/** tracking-finalizer-stuck reports a pod that has only this finalizer. */
const tracking = 'batch.kubernetes.io/job-tracking'

function check(pod: PodView, seen: Seen, live: LiveFacts): readonly Hit[] {
  const overdue = overdueBy(pod.raw, live.at)
  if (overdue === undefined) return []
  const isOver = /^(Succeeded|Failed)$/.test(textAt(pod.raw, 'status', 'phase') ?? '')
  if (isOver && finalizersOf(pod.raw).join() === tracking) return []
  return [
    hitIn(pod, {
      path: ['metadata', 'deletionTimestamp'],
      message: `The pod should have been gone ${durationText(overdue)} ago: ${causeOf(pod, seen, live, isOver)}`,
    }),
  ]
}

/** Returns the first matching cause, in the order of docs/reference/kubernetes.md#s4-3. */
function causeOf(pod: PodView, seen: Seen, live: LiveFacts, isOver: boolean): string {
  const finalizers = finalizersOf(pod.raw)
  if (finalizers.length > 0 && isOver) {
    return `it has ended and waits for the controller that set ${finalizers.join(', ')}. Find that controller; do not remove a finalizer while the controller runs.`
  }
  return nodeCause(pod, seen, live) ?? hookCause(pod, seen) ?? containerCause(pod, isOver)
}

function nodeCause(pod: PodView, seen: Seen, live: LiveFacts): string | undefined {
  const name = textAt(pod.raw, 'spec', 'nodeName')
  if (name === undefined || live.unreadable['Node'] !== undefined) return undefined
  const node = seen.nodes.get(name)
  if (!node) return `its node ${name} no longer exists, and the pod garbage collector has not removed the pod yet.`
  const ready = listAt(node.raw, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready')
  const status = textAt(ready, 'status')
  if (status === undefined || status === 'True') return undefined
  return `its node ${name} is not ready (Ready is ${status}), so it is unknown whether its containers have stopped. Make sure that the machine is off, then delete the Node or taint it as out-of-service. Force deletion may leave containers running.`
}

/** Returns the cause if a postStart hook hangs: its container was started, but its status is still waiting. */
function hookCause(pod: PodView, seen: Seen): string | undefined {
  const states = [
    ...containerStates(pod.raw, 'initContainerStatuses'),
    ...containerStates(pod.raw, 'containerStatuses'),
  ]
  const hung = pod.containers.find(({ name, postStart }) => {
    const state = states.find((each) => each.name === name)
    return (
      postStart?.exec && state?.state === 'waiting' && /^(ContainerCreating|PodInitializing)$/.test(state.reason ?? '')
    )
  })
  if (hung) {
    return `the postStart command of ${hung.name} seems to hang, and the kubelet waits for it before it deletes the pod. End that process or its container on the node ${textAt(pod.raw, 'spec', 'nodeName') ?? ''}. Force deletion alone leaves it running.`
  }
  const kill = seen.events(pod).find(({ reason }) => reason === 'FailedKillPod')
  return kill && `the node cannot stop the pod: ${kill.message.replace(/\.?$/, '.')}`
}

function containerCause(pod: PodView, isOver: boolean): string {
  const running = containerStates(pod.raw, 'containerStatuses').filter(({ state }) => state === 'running')
  const grace = numberAt(pod.raw, 'metadata', 'deletionGracePeriodSeconds')
  if (running.length > 0) {
    return `${running.map(({ name }) => name).join(', ')} still runs after the grace period${grace === undefined ? '' : ` of ${grace} s`}. Compare with other pods of the node: a single pod suggests its process as the cause, several suggest the kubelet or the runtime.`
  }
  return isOver
    ? 'its containers have ended, so a volume that cannot be unmounted, its cgroup, or a webhook that denies the deletion holds it.'
    : 'the API shows no running container and no reason. Check the kubelet of its node.'
}
