// The election of a leader by one Lease, without I/O: from a candidate's state and an event to the next state and what to do.
// The elector (lease.ts) does it. It measures all times, and no time of the record counts.
import { KubernetesError } from './errors.ts'
import type { LeaseRecord } from './lease-record.ts'

/** The state of a candidate. */
export type Candidacy =
  /** Reads the lease until it can be taken. `expired`: the record has not changed for its duration. */
  | { readonly is: 'following'; readonly record: LeaseRecord | undefined; readonly expired: boolean }
  /** `reread`: the record was read again, because another client wrote or the response to an earlier renewal was lost. */
  | { readonly is: 'leading'; readonly record: LeaseRecord; readonly reread: boolean }
  /** The leader's work ends. `lost` says why leadership was lost. `stopping`: there is no further term. */
  | { readonly is: 'ending'; readonly lost: string | undefined; readonly stopping: boolean }
  | { readonly is: 'over' }

export type ElectionEvent =
  | { readonly is: 'read'; readonly record: LeaseRecord | undefined }
  | { readonly is: 'read-failed'; readonly error: unknown }
  /** The candidate has written the lease as its holder: a term begins. */
  | { readonly is: 'written'; readonly record: LeaseRecord }
  | { readonly is: 'write-failed'; readonly error: unknown }
  /** The record that was read last has not changed for its duration. */
  | { readonly is: 'record-expired' }
  /** The term has ended without a renewal. */
  | { readonly is: 'term-expired' }
  /** The leader's work has ended. `failed`: with an error of its own. */
  | { readonly is: 'work-ended'; readonly failed: boolean }
  | { readonly is: 'stopped' }

export type ElectionState =
  | { readonly is: 'following'; readonly holder: string }
  | { readonly is: 'leading' }
  /** Another process may lead from now on. */
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'stopped' }

export type ElectionEffect =
  | { readonly do: 'read'; readonly paused: boolean }
  /** Writes the lease with this candidate as its holder. Without a record, creates it. */
  | { readonly do: 'write'; readonly record: LeaseRecord | undefined; readonly paused: boolean }
  /** Measures the duration of the record from now on. */
  | { readonly do: 'watch-record'; readonly record: LeaseRecord }
  | { readonly do: 'begin-work' }
  | { readonly do: 'end-work'; readonly why: string }
  | { readonly do: 'report'; readonly state: ElectionState }
  /** Reports that the lease was read or written, or why not. */
  | { readonly do: 'report-turn'; readonly error: unknown }

export type Elected = readonly [next: Candidacy, ...effects: ElectionEffect[]]

export const newCandidacy: Candidacy = { is: 'following', record: undefined, expired: false }

export function elect(now: Candidacy, event: ElectionEvent, identity: string): Elected {
  switch (now.is) {
    case 'following':
      return follow(now, event, identity)
    case 'leading':
      return lead(now, event, identity)
    case 'ending':
      return end(now, event)
    case 'over':
      return [now]
  }
}

type Of<Is extends Candidacy['is']> = Extract<Candidacy, { is: Is }>

const turned: ElectionEffect = { do: 'report-turn', error: undefined }

function follow(now: Of<'following'>, event: ElectionEvent, identity: string): Elected {
  switch (event.is) {
    case 'read':
      return followRecord(now, event.record, identity)
    case 'written':
      return [
        { is: 'leading', record: event.record, reread: false },
        { do: 'report', state: { is: 'leading' } },
        { do: 'begin-work' },
        { do: 'write', record: event.record, paused: true },
      ]
    case 'read-failed':
    case 'write-failed': {
      // Another candidate was faster, or there was no response. The next read shows which. The record's duration goes on.
      const effects: ElectionEffect[] = isLostRace(event.error) ? [] : [{ do: 'report-turn', error: event.error }]
      return [now, ...effects, { do: 'read', paused: true }]
    }
    case 'record-expired':
      return [{ ...now, expired: true }]
    case 'stopped':
      return [{ is: 'over' }]
    default:
      return [now]
  }
}

function followRecord(before: Of<'following'>, record: LeaseRecord | undefined, identity: string): Elected {
  const isFree = !record || record.holder === '' || record.holder === identity
  const isNew = record !== undefined && record.resourceVersion !== before.record?.resourceVersion
  const next = isNew ? { ...before, record, expired: false } : before
  const effects = [turned]
  if (isNew) {
    const isOther = !isFree && record.holder !== before.record?.holder
    if (isOther) effects.push({ do: 'report', state: { is: 'following', holder: record.holder } })
    effects.push({ do: 'watch-record', record })
  }
  const mayTake = isFree || next.expired
  return [next, ...effects, mayTake ? { do: 'write', record, paused: false } : { do: 'read', paused: true }]
}

function lead(now: Of<'leading'>, event: ElectionEvent, identity: string): Elected {
  const { record } = now
  switch (event.is) {
    case 'written':
      return [
        { ...now, record: event.record, reread: false },
        turned,
        { do: 'write', record: event.record, paused: true },
      ]
    case 'read':
      if (!event.record) return lose('the lease was deleted', turned)
      if (event.record.holder === identity) {
        return [
          { ...now, record: event.record, reread: true },
          { do: 'write', record: event.record, paused: false },
        ]
      }
      return superseded(event.record)
    case 'read-failed':
    case 'write-failed': {
      const { error } = event
      const kind = error instanceof KubernetesError ? error.kind : undefined
      if (kind === 'conflict' && !now.reread) return [now, { do: 'read', paused: false }]
      const failure: ElectionEffect = { do: 'report-turn', error }
      if (kind === 'not-found') return lose('the lease was deleted', failure)
      return [{ ...now, reread: false }, failure, { do: 'write', record, paused: true }]
    }
    case 'term-expired':
      return lose('the lease was not renewed in time')
    case 'work-ended':
      return [{ is: 'over' }, { do: 'end-work', why: 'the leader has ended' }]
    case 'stopped':
      return [{ is: 'ending', lost: undefined, stopping: true }]
    default:
      return [now]
  }
}

function superseded({ holder }: LeaseRecord): Elected {
  const why = holder ? `${holder} holds the lease` : 'the lease has no holder'
  return lose(why, { do: 'report-turn', error: new Error(why) })
}

function lose(why: string, ...effects: readonly ElectionEffect[]): Elected {
  const next = { is: 'ending', lost: why, stopping: false } as const
  return [next, ...effects, { do: 'end-work', why: `leadership was lost: ${why}` }]
}

function end(now: Of<'ending'>, event: ElectionEvent): Elected {
  const { lost, stopping } = now
  switch (event.is) {
    case 'term-expired':
      return [{ ...now, lost: lost ?? 'the lease was not renewed in time' }]
    case 'stopped':
      return [{ ...now, stopping: true }]
    case 'work-ended': {
      if (event.failed) return [{ is: 'over' }]
      const report: ElectionEffect[] = lost === undefined ? [] : [{ do: 'report', state: { is: 'lost', why: lost } }]
      return stopping ? [{ is: 'over' }, ...report] : [newCandidacy, ...report, { do: 'read', paused: false }]
    }
    default:
      return [now]
  }
}

/** Returns whether another candidate wrote the lease first, which is no failure of the election. */
function isLostRace(error: unknown): boolean {
  return error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'already-exists')
}
