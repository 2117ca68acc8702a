// The cluster's Events about one object.
import type { Instant } from '@dayfly/kit/clock'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { EventObject } from '../observe/pod-object.ts'
import { events } from '../resources.ts'
import { type Cluster, listAll } from './read.ts'

export type EventView = {
  readonly at: Instant | undefined
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly source: string
  /** As the API server sent it, for the classification. */
  readonly raw: EventObject
}

type Subject = { readonly namespace: string; readonly name: string; readonly uid?: string | undefined }

/** Returns the Events, the newest first. An object that is gone may still have some. */
export async function readEvents(cluster: Cluster, { namespace, name, uid }: Subject): Promise<readonly EventView[]> {
  const selectors = [`involvedObject.name=${name}`, ...(uid === undefined ? [] : [`involvedObject.uid=${uid}`])]
  const items = await listAll(cluster, events, { namespace, fieldSelector: selectors.join(',') })
  // Events of the same second: the one that was written last is the newest.
  const version = ({ metadata }: KubeObject) => Number(metadata.resourceVersion) || 0
  const byVersion = [...items].sort((left, right) => version(right) - version(left))
  return byVersion.map(viewEvent).sort((left, right) => (right.at ?? 0) - (left.at ?? 0))
}

function viewEvent(object: object): EventView {
  const event = object as EventObject & {
    readonly type?: string
    readonly count?: number
    readonly source?: { readonly component?: string }
    readonly reportingComponent?: string
  }
  const at = Date.parse(event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? '')
  return {
    at: Number.isNaN(at) ? undefined : at,
    type: String(event.type ?? 'Normal'),
    reason: String(event.reason ?? ''),
    message: String(event.message ?? ''),
    count: typeof event.count === 'number' ? event.count : 1,
    source: String(event.source?.component || event.reportingComponent || ''),
    raw: event,
  }
}
