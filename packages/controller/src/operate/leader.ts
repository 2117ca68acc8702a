// The controller that leads, by its Lease, and whether it works on a set.

import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { asJsonObject } from '@dayfly/kit/read-json'
import { leases, readLease } from '@dayfly/kubernetes/lease-record'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { watchesLabel } from '@dayfly/runner-set/model/api'
import { type Cluster, getOne, type Known, listAll, orUnknown } from './read.ts'
import type { SetView } from './set-view.ts'

/** An undefined name means every Lease of Dayfly: a chart has a controller with its own Lease for each namespace. */
export type LeaseChoice = { readonly namespace: string | undefined; readonly name: string | undefined }

/** The name of the Lease of a controller that was started without a name for it. */
const usualName = 'dayfly'

/** One Lease. `free`: no process holds it. `expired`: its holder has not renewed it in time. */
export type Leader = {
  readonly is: 'leading' | 'expired' | 'free'
  readonly lease: { readonly namespace: string; readonly name: string }
  /** The one namespace that the controller serves, or an empty text for all. Undefined where no controller has said so. */
  readonly watches: string | undefined
  readonly uid: string
  readonly resourceVersion: string
  readonly holder: string
  /** Undefined where the Lease does not say. */
  readonly renewedAt: Instant | undefined
  readonly acquiredAt: Instant | undefined
}

/** A clock of a node may differ from the clock of this command by so much, in milliseconds. */
const skewMs = 5_000

/**
 * Returns the Leases of Dayfly, those with a leader first. A chart may put the Lease into any namespace, so all are searched.
 * Without that permission only the given namespaces are.
 */
export async function readLeaders(
  cluster: Cluster,
  { namespace, name }: LeaseChoice,
  namespaces: readonly string[],
): Promise<Known<readonly Leader[]>> {
  const now = cluster.clock.now()
  // Each node has a Lease of its name in kube-node-lease.
  const named = name === undefined ? '' : `metadata.name=${name},`
  const fieldSelector = `${named}metadata.namespace!=kube-node-lease`
  const everywhere = await orUnknown(listAll(cluster, leases, { namespace, fieldSelector }))
  if (everywhere.known) {
    const own = everywhere.value.filter((object) => name !== undefined || isOurs(object))
    return { known: true, value: sorted(own.map((object) => viewLease(object, now))) }
  }
  const near = namespace === undefined ? namespaces : [namespace]
  const single = await Promise.all(
    near.map((one) => orUnknown(getOne(cluster, leases, { namespace: one, name: name ?? usualName }))),
  )
  const found = single.flatMap((one) => (one.known && one.value ? [viewLease(one.value, now)] : []))
  // A Lease may be in a namespace that could not be searched: only one that was found says something.
  return found.length > 0 ? { known: true, value: sorted(found) } : everywhere
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.name === usualName || metadata.labels?.[watchesLabel] !== undefined
}

/** Returns whether the controller of this Lease may serve the namespace; undefined means any. */
export function serves({ watches = '' }: Leader, namespace: string | undefined): boolean {
  return namespace === undefined || watches === '' || watches === namespace
}

function viewLease(object: KubeObject, now: Instant): Leader {
  const { holder, durationMs } = readLease(object)
  const spec = asJsonObject(object['spec']) ?? {}
  const renewedAt = instant(spec['renewTime'])
  const late = renewedAt === undefined || now > renewedAt + durationMs + skewMs
  return {
    is: holder === '' ? 'free' : late ? 'expired' : 'leading',
    lease: { namespace: object.metadata.namespace ?? '', name: object.metadata.name },
    watches: object.metadata.labels?.[watchesLabel],
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion ?? '',
    holder,
    renewedAt,
    acquiredAt: instant(spec['acquireTime']),
  }
}

/** `working`: a controller leads and has read the set's present generation. */
export type Work =
  | { readonly is: 'working' }
  | { readonly is: 'unknown'; readonly why: string }
  /** `no-leader`: no process acts. `unseen`: one leads, and has never reported on this set. `behind`: it has not read the last change. */
  | { readonly is: 'no-leader' | 'unseen' | 'behind'; readonly sentence: string; readonly next: string }

/** Judges whether a controller works on the set now. */
export function workOn(set: SetView, leaders: Known<readonly Leader[]>, now: Instant): Work {
  if (!leaders.known) return { is: 'unknown', why: leaders.why }
  const serving = leaders.value.filter((one) => serves(one, set.namespace))
  if (serving.length === 0 && leaders.value.length > 0) return { is: 'no-leader', ...unserved(set, leaders.value) }
  const own = serving.filter(({ watches, lease }) => watches === set.namespace || lease.namespace === set.namespace)
  const leader = own.find(({ is }) => is === 'leading') ?? serving[0]
  if (leader?.is !== 'leading') return { is: 'no-leader', ...withoutLeader(leader, now) }
  if (set.observedGeneration === undefined) {
    return {
      is: 'unseen',
      sentence: `${leader.holder} leads, but has not reported on this set.`,
      next: `Check that its --namespace includes ${set.namespace}, and read its log.`,
    }
  }
  if (set.observedGeneration < set.generation) {
    return {
      is: 'behind',
      sentence: `${leader.holder} has not read the last change: it works with generation ${set.observedGeneration} of ${set.generation}.`,
      next: 'Wait some seconds. If it stays so, read the log of the controller.',
    }
  }
  return { is: 'working' }
}

function unserved({ namespace }: SetView, leaders: readonly Leader[]) {
  const served = [...new Set(leaders.flatMap(({ watches }) => watches ?? []))].sort().join(', ')
  return {
    sentence: `No controller serves the namespace ${namespace}. The controllers of this cluster serve: ${served}.`,
    next: `Add ${namespace} to watchNamespaces of the chart (docs/guide/install.md), or move the set.`,
  }
}

function withoutLeader(leader: Leader | undefined, now: Instant) {
  if (!leader) {
    const next = 'Install the controller (docs/guide/install.md).'
    return { sentence: 'No controller runs: there is no Lease of Dayfly.', next }
  }
  const { lease, holder, renewedAt } = leader
  // The chart and the manifests name a Deployment and its Lease alike.
  const next = `Start the controller, for example: kubectl scale deployment/${lease.name} --replicas=2 -n ${lease.namespace}`
  const at = renewedAt === undefined ? '' : ` ${ageText(now - renewedAt)} ago`
  const place = `${lease.namespace}/${lease.name}`
  if (leader.is === 'free')
    return { sentence: `No controller leads: the last one gave the Lease ${place} back${at}.`, next }
  return { sentence: `No controller leads: ${holder} renewed the Lease ${place} last${at}.`, next }
}

function sorted(leaders: readonly Leader[]): readonly Leader[] {
  const rank = { leading: 0, expired: 1, free: 2 } as const
  return [...leaders].sort(
    (left, right) => rank[left.is] - rank[right.is] || (right.renewedAt ?? 0) - (left.renewedAt ?? 0),
  )
}

function instant(value: unknown): Instant | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
