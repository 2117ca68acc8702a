// The journal of one life, for tests.
import type { Instant } from '@dayfly/kit/clock'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'

export const of = { namespace: 'ci', set: 'linux', runner: 'linux-abc' } as const
export const job = {
  id: '99',
  name: 'build',
  repository: 'acme/web',
  origin: { workflow: 'ci.yml', ref: 'main', run: '555' },
} as const
export const leads: JournalEvent = { kind: 'leadership-gained', identity: 'x' }

/** When each event of a good life happens, in milliseconds after its pod was requested. */
export const goodLife: readonly (readonly [ms: number, event: JournalEvent])[] = [
  [400, { ...of, kind: 'runner-registered', registration: '17', requestedMs: 400 }],
  [600, { ...of, kind: 'pod-created', uid: 'uid-1' }],
  [4_000, { ...of, kind: 'runner-started', node: 'node-1', startMs: 3_000 }],
  [5_000, { ...of, kind: 'runner-online' }],
  [7_000, { ...of, kind: 'job-started', job, queuedMs: 8_000 }],
  [47_000, { ...of, kind: 'job-finished', job: job.id, result: 'succeeded' }],
  [48_000, { ...of, kind: 'runner-ended', exitCode: 0, reason: 'Completed' }],
  [49_000, { ...of, kind: 'runner-gone', because: 'ended' }],
]

export function entries(from: Instant, events = goodLife): readonly Entry[] {
  return events.map(([ms, event]) => ({ at: from + ms, event }))
}
