// A reader of the journal: it writes failures and state changes as deduplicated Events of the RunnerSet.
import type { Instant } from '@dayfly/kit/clock'
import { hashText } from '@dayfly/kit/hash'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { camelCase, sentenceOf } from '@dayfly/runner-set/core/report'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { doubtOf, type Entry, type JournalEvent, lateJobNext, rerunText } from '@dayfly/runner-set/model/event'
import type { Journal } from './journal.ts'
import { events } from './resources.ts'

export type EventPublisher = {
  readonly kubernetes: Kubernetes
  readonly identity: string
  /** Returns the uid of a set, by which `kubectl describe` finds its Events. */
  readonly uidOf: (namespace: string, set: string) => string | undefined
  /** Aborted when leadership ends. */
  readonly signal: AbortSignal
}

type Note = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }
type Published = { readonly name: string; readonly firstAt: Instant; count: number; writtenAt: Instant }

/** The same Event is written again at most this often, in milliseconds. */
const repeatMs = 60_000
/** How many different Events are remembered. */
const rememberedMax = 1_000

/** Writes until the returned function is called. An Event that cannot be written is lost: the condition and the log say the same. */
export function publishEvents(publisher: EventPublisher, journal: Journal): () => void {
  const published = new Map<string, Published>()
  return journal.subscribe((entry) => {
    const note = noteOf(entry.event)
    if (!note || !('namespace' in entry.event)) return
    const { namespace, set } = entry.event
    const key = [namespace, set, note.reason, note.message].join('\n')
    const before = published.get(key)
    if (before) {
      before.count++
      if (entry.at < before.writtenAt + repeatMs) return
      before.writtenAt = entry.at
      void repeat(publisher, namespace, before, entry.at)
      return
    }
    if (published.size >= rememberedMax) published.delete(published.keys().next().value ?? '')
    const name = `${set}.${hashText(`${key}\n${entry.at}`, 16)}`
    published.set(key, { name, firstAt: entry.at, count: 1, writtenAt: entry.at })
    void create(publisher, eventObject(publisher, entry, { namespace, set, name }, note))
  })
}

function noteOf(event: JournalEvent): Note | undefined {
  switch (event.kind) {
    case 'template-refused':
    case 'forge-failed':
    case 'runner-failed':
    case 'runner-delayed':
    case 'start-refused':
    case 'registration-kept':
    case 'cordon-failed':
    case 'runner-version-ends':
    case 'size-failed':
    case 'cost-labels-failed': {
      const { reason, message } = event.failure
      return { type: 'Warning', reason: camelCase(reason), message: sentenceOf(reason, message) }
    }
    case 'job-late': {
      const message = `Runner ${event.runner} took another job before it was cordoned. ${lateJobNext}`
      return { type: 'Warning', reason: 'JobLate', message }
    }
    case 'job-pod-failed': {
      const { reason, message } = event.failure
      return {
        type: 'Warning',
        reason: camelCase(reason),
        message: `The pod ${event.pod} of a job: ${sentenceOf(reason, message)}`,
      }
    }
    case 'job-doubtful': {
      const { reason, message } = event.failure
      return {
        type: 'Warning',
        reason: 'JobDoubtful',
        message: `${doubtOf(event.runner)} ${sentenceOf(reason, message)}`,
      }
    }
    case 'job-repeated':
      return { type: 'Normal', reason: 'JobRepeated', message: rerunText(event) }
    case 'job-not-repeated':
      return { type: 'Warning', reason: 'JobNotRepeated', message: rerunText(event) }
    case 'set-invalid':
      return { type: 'Warning', reason: 'SpecInvalid', message: event.problems.join('; ') }
    case 'template-accepted':
      return {
        type: 'Normal',
        reason: 'TemplateAccepted',
        message: `The API server accepts the template ${event.hash}.`,
      }
    default:
      return undefined
  }
}

function eventObject(
  { uidOf, identity }: EventPublisher,
  entry: Entry,
  at: { readonly namespace: string; readonly set: string; readonly name: string },
  note: Note,
): KubeObject {
  const time = timestamp(entry.at)
  const { namespace, set, name } = at
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: runnerSetApiVersion,
      kind: 'RunnerSet',
      namespace,
      name: set,
      uid: uidOf(namespace, set) ?? '',
    },
    ...note,
    message: note.message.slice(0, 1_000),
    source: { component: 'dayfly' },
    reportingComponent: 'dayfly',
    reportingInstance: identity,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}

async function create({ kubernetes, signal }: EventPublisher, event: KubeObject): Promise<void> {
  await kubernetes.create(events, event, { signal }).catch(() => {})
}

async function repeat(
  { kubernetes, signal }: EventPublisher,
  namespace: string,
  { name, count }: Published,
  at: Instant,
): Promise<void> {
  const body = { count, lastTimestamp: timestamp(at) }
  await kubernetes.patch(events, { namespace, name }, { type: 'merge', body }, { signal }).catch(() => {})
}
