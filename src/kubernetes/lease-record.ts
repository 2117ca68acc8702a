// The Lease object (coordination.k8s.io/v1) as leader election uses it: read, acquire, renew, release.
import type { Instant } from '../lib/clock.ts'
import { asRecord } from './parse.ts'
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
  /** Empty: nobody holds it. */
  readonly holder: string
  /** How long the holder promised to be silent at most, in milliseconds. */
  readonly durationMs: number
  readonly transitions: number
  /** The object as it was read: a write keeps what it does not know. */
  readonly object: KubeObject
}

const durationMsMax = 3_600_000

export function readLease(object: KubeObject): LeaseRecord {
  const spec = asRecord(object['spec']) ?? {}
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

export type LeaseHold = { readonly holder: string; readonly durationMs: number; readonly at: Instant }

/** A lease that nobody has made yet. */
export function newLease(place: ObjectName, hold: LeaseHold): KubeObject {
  const spec = { ...heldSpec(hold), acquireTime: microTime(hold.at), leaseTransitions: 0 }
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...place }, spec }
}

/** The record, taken or renewed by `hold.holder`. With its resourceVersion the server refuses it if anybody wrote in between. */
export function heldLease(record: LeaseRecord, hold: LeaseHold): KubeObject {
  const taken = record.holder !== hold.holder
  const more = taken ? { acquireTime: microTime(hold.at), leaseTransitions: record.transitions + 1 } : {}
  return { ...record.object, spec: { ...asRecord(record.object['spec']), ...heldSpec(hold), ...more } }
}

/** The record, held by nobody: the next candidate need not wait. */
export function releasedLease(record: LeaseRecord, at: Instant): KubeObject {
  return heldLease({ ...record, holder: '' }, { holder: '', durationMs: 1000, at })
}

function heldSpec({ holder, durationMs, at }: LeaseHold): object {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: microTime(at),
  }
}

/** Kubernetes' MicroTime takes exactly six digits of a second. */
function microTime(at: Instant): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}
