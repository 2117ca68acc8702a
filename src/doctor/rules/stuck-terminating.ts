// A pod that should have been deleted by now, with the reason that the API shows for it (incident S3).

import { listAt, numberAt, textAt } from '../../lib/read-json.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../objects/by-kind.ts'
import { eventIndex } from '../objects/events.ts'
import { finalizersOf, overdueBy } from '../objects/metadata.ts'
import type { PodView } from '../pod-view.ts'
import { containerStates } from '../pods/container-states.ts'
import { hitIn } from '../pods/pod-parts.ts'
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

/** Its only finalizer has a rule of its own. */
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

/** The first that fits, in the order of the Kubernetes reference 4.3. */
function causeOf(pod: PodView, seen: Seen, live: LiveFacts, isOver: boolean): string {
  const finalizers = finalizersOf(pod.raw)
  if (finalizers.length > 0 && isOver) {
    return `it has ended, and waits for whoever set ${finalizers.join(', ')}. Look for that controller; remove no finalizer while it lives.`
  }
  return nodeCause(pod, seen, live) ?? hookCause(pod, seen) ?? containerCause(pod, isOver)
}

function nodeCause(pod: PodView, seen: Seen, live: LiveFacts): string | undefined {
  const name = textAt(pod.raw, 'spec', 'nodeName')
  if (name === undefined || live.unreadable['Node'] !== undefined) return undefined
  const node = seen.nodes.get(name)
  if (!node) return `its node ${name} does not exist any more, and the pod garbage collector has not taken it yet.`
  const ready = listAt(node.raw, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready')
  const status = textAt(ready, 'status')
  if (status === undefined || status === 'True') return undefined
  return `its node ${name} is not ready (Ready is ${status}), so nobody can say that its containers have stopped. Make sure the machine is off, then delete the Node or taint it out-of-service; force deletion leaves containers running.`
}

/** A postStart that hangs: its container was started, and its status still says that it waits. */
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
    return `the postStart command of ${hung.name} seems to hang, and the kubelet waits for it before it deletes. End that process, or the container, on the node ${textAt(pod.raw, 'spec', 'nodeName') ?? ''}; force deletion alone leaves it there.`
  }
  const kill = seen.events(pod).find(({ reason }) => reason === 'FailedKillPod')
  return kill && `the node cannot stop it: ${kill.message.replace(/\.?$/, '.')}`
}

function containerCause(pod: PodView, isOver: boolean): string {
  const running = containerStates(pod.raw, 'containerStatuses').filter(({ state }) => state === 'running')
  const grace = numberAt(pod.raw, 'metadata', 'deletionGracePeriodSeconds')
  if (running.length > 0) {
    return `${running.map(({ name }) => name).join(', ')} still runs beyond its grace${grace === undefined ? '' : ` of ${grace} s`}. Compare with other pods of the node: one alone points to its process, several to the kubelet or the runtime.`
  }
  return isOver
    ? 'its containers have ended, so a volume that cannot be unmounted, its cgroup, or a webhook that denies the delete holds it.'
    : 'the API shows no container that runs and no reason; look at the kubelet of its node.'
}
