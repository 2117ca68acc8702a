// Finds out whether ARC's controller can still remove its finalizers. It counts as gone only with proof; time alone proves nothing.
import { numberAt, textAt } from '@dayfly/kit/read-json'
import { isArcController, type LeaderLease, leaderLeases } from '../arc/arc.ts'
import type { ObjectFact } from '../facts.ts'
import type { Cluster } from './cluster.ts'
import { isNodeGone } from './signs.ts'

/** For a controller that is gone, `because` holds the proof. */
export type ControllerState =
  | { readonly is: 'gone'; readonly because: string }
  | { readonly is: 'scaled-to-zero'; readonly because: string; readonly deployment: ObjectFact }
  | { readonly is: 'alive' | 'unknown'; readonly because: string }

export function scaleSetController(cluster: Cluster): ControllerState {
  const { objects, live, unreadReason } = cluster
  const leases = leaderLeases(cluster, live.at)
  const found = objects.filter(({ object, raw }) => isArcController(object.kind, raw))
  const pods = found.filter((fact) => fact.object.kind === 'Pod' && !isOver(fact))
  const pod = pods.find((one) => !isLost(cluster, one, leases))
  if (pod) return { is: 'alive', because: `its pod ${placeOf(pod)} exists${leaseNote(leases, 'though')}` }
  const deployments = found.filter(({ object }) => object.kind === 'Deployment')
  const wanted = deployments.find(({ raw }) => (numberAt(raw, 'spec', 'replicas') ?? 1) > 0)
  if (wanted)
    return { is: 'alive', because: `its Deployment ${placeOf(wanted)} asks for a pod${leaseNote(leases, 'though')}` }
  const young = leases.find((lease) => !lease.isStale && !isOfAnother(cluster, lease))
  if (young) return { is: 'alive', because: `${young.holder} renewed its lease ${placeOf(young.fact)} a moment ago` }
  const unread = ['Deployment', 'Pod', 'Lease']
    .map((kind) => unreadReason(kind, undefined))
    .find((one) => one !== undefined)
  if (unread !== undefined) return { is: 'unknown', because: unread }
  const lost = pods[0] ? `, the node of its pod ${placeOf(pods[0])} is gone` : ''
  const proof = `${lost}${leaseNote(leases, 'and')}`
  const [deployment] = deployments
  return deployment
    ? { is: 'scaled-to-zero', because: `its Deployment ${placeOf(deployment)} asks for no pod${proof}`, deployment }
    : { is: 'gone', because: `it has no Deployment and no living pod${proof}` }
}

/** Neither a missing node nor an old lease proves that the pod ended. Both together do. */
function isLost(cluster: Cluster, pod: ObjectFact, leases: readonly LeaderLease[]): boolean {
  const node = textAt(pod.raw, 'spec', 'nodeName')
  const own = leases.filter(({ fact }) => fact.object.namespace === pod.object.namespace)
  return node !== undefined && isNodeGone(cluster, node) && own.length > 0 && own.every(({ isStale }) => isStale)
}

/** Whether an existing pod of another program holds the lease. Two programs may have leases with similar names. */
function isOfAnother(cluster: Cluster, { fact, holder }: LeaderLease): boolean {
  const pod = cluster.find({ kind: 'Pod', namespace: fact.object.namespace, name: holder })
  return pod !== undefined && !isArcController('Pod', pod.raw)
}

function leaseNote(leases: readonly LeaderLease[], word: 'though' | 'and'): string {
  const stale = leases.find(({ isStale }) => isStale)
  if (!stale) return ''
  return `, ${word} its lease ${placeOf(stale.fact)} was last renewed at ${new Date(stale.renewed).toISOString()}`
}

function placeOf({ object }: ObjectFact): string {
  return `${object.namespace}/${object.name}`
}

function isOver({ raw }: ObjectFact): boolean {
  const phase = textAt(raw, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}
