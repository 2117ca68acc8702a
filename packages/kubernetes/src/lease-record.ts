// Reads and writes the Lease object (coordination.k8s.io/v1) of a leader election.
import type { Instant } from '@dayfly/kit/clock'
import { asJsonObject } from '@dayfly/kit/read-json'
import { microTimestamp } from '@dayfly/kit/timestamp'
import type { KubeObject, ObjectName, Resource } from './types.ts'

export const leases: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

export type LeaseRecord = {
  readonly resourceVersion: string
  /** Empty if the lease has no holder. */
  readonly holder: string
  /** How long the lease is valid after a renewal, in milliseconds. */
  readonly durationMs: number
  readonly transitions: number
  /** The object as read. A write keeps its other fields. */
  readonly object: KubeObject
}

const durationMsMax = 3_600_000

export function readLease(object: KubeObject): LeaseRecord {
  const spec = asJsonObject(object['spec']) ?? {}
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = spec
  const seconds = typeof leaseDurationSeconds === 'number' && leaseDurationSeconds > 0 ? leaseDurationSeconds : 1
  return {
    resourceVersion: object.metadata.resourceVersion ?? '',
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: Math.min(seconds * 1000, durationMsMax),
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    object,
  }
}

export type LeaseHold = {
  readonly holder: string
  readonly durationMs: number
  readonly at: Instant
  /** Labels that the lease must have. Others stay. */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** Returns the object of a new lease. */
export function newLease(place: ObjectName, hold: LeaseHold): KubeObject {
  const spec = { ...heldSpec(hold), acquireTime: microTimestamp(hold.at), leaseTransitions: 0 }
  const metadata = { ...place, ...(hold.labels ? { labels: hold.labels } : {}) }
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
}

/** Returns the lease as taken or renewed by `hold.holder`. Its resourceVersion makes the server refuse it if another client wrote in between. */
export function heldLease(record: LeaseRecord, hold: LeaseHold): KubeObject {
  const taken = record.holder !== hold.holder
  const more = taken ? { acquireTime: microTimestamp(hold.at), leaseTransitions: record.transitions + 1 } : {}
  const { metadata } = record.object
  const labelled = hold.labels ? { ...metadata, labels: { ...metadata.labels, ...hold.labels } } : metadata
  return {
    ...record.object,
    metadata: labelled,
    spec: { ...asJsonObject(record.object['spec']), ...heldSpec(hold), ...more },
  }
}

/** Returns the lease without a holder, so that the next candidate need not wait. */
export function releasedLease(record: LeaseRecord, at: Instant): KubeObject {
  return heldLease({ ...record, holder: '' }, { holder: '', durationMs: 1000, at })
}

function heldSpec({ holder, durationMs, at }: LeaseHold): object {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: microTimestamp(at),
  }
}
