// A table of the election: each state of a candidate, each event, the next state and what is done.
import { expect, it } from 'vitest'
import { type Candidacy, type ElectionEffect, type ElectionEvent, elect, newCandidacy } from './election.ts'
import { KubernetesError } from './errors.ts'
import type { LeaseRecord } from './lease-record.ts'

function record(holder: string, resourceVersion = '1'): LeaseRecord {
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'dayfly' } }
  return { resourceVersion, holder, durationMs: 15_000, transitions: 0, object }
}

const [ours, theirs, free] = [record('me'), record('other'), record('')]
const [conflict, exists, missing, down] = (['conflict', 'already-exists', 'not-found', 'unavailable'] as const).map(
  (kind) => new KubernetesError(kind, kind),
)

const following = { is: 'following', record: theirs, expired: false } as const
const expired = { ...following, expired: true } as const
const leading = { is: 'leading', record: ours, reread: false } as const
const reread = { ...leading, reread: true } as const
const stopping = { is: 'ending', lost: undefined, stopping: true } as const
const losing = (lost: string) => ({ is: 'ending', lost, stopping: false }) as const
const over = { is: 'over' } as const

const read = (given: LeaseRecord | undefined): ElectionEvent => ({ is: 'read', record: given })
const written: ElectionEvent = { is: 'written', record: ours }
const writeFailed = (error: unknown): ElectionEvent => ({ is: 'write-failed', error })
const readFailed = (error: unknown): ElectionEvent => ({ is: 'read-failed', error })
const recordExpired: ElectionEvent = { is: 'record-expired' }
const termExpired: ElectionEvent = { is: 'term-expired' }
const workEnded: ElectionEvent = { is: 'work-ended', failed: false }
const workFailed: ElectionEvent = { is: 'work-ended', failed: true }
const stopped: ElectionEvent = { is: 'stopped' }

const turn: ElectionEffect = { do: 'report-turn', error: undefined }
const failedTurn = (error: unknown): ElectionEffect => ({ do: 'report-turn', error })
const readLater: ElectionEffect = { do: 'read', paused: true }
const readNow: ElectionEffect = { do: 'read', paused: false }
const watchOf = (given: LeaseRecord): ElectionEffect => ({ do: 'watch-record', record: given })
const take = (given: LeaseRecord | undefined): ElectionEffect => ({ do: 'write', record: given, paused: false })
const renewLater: ElectionEffect = { do: 'write', record: ours, paused: true }
const shows = (holder: string): ElectionEffect => ({ do: 'report', state: { is: 'following', holder } })
const showsLost = (why: string): ElectionEffect => ({ do: 'report', state: { is: 'lost', why } })
const endWork = (why: string): ElectionEffect => ({ do: 'end-work', why: `leadership was lost: ${why}` })
const late = 'the lease was not renewed in time'

type Row = readonly [title: string, Candidacy, ElectionEvent, Candidacy, ...ElectionEffect[]]

const rows: readonly Row[] = [
  [
    'follows the holder that it reads first',
    newCandidacy,
    read(theirs),
    following,
    turn,
    shows('other'),
    watchOf(theirs),
    readLater,
  ],
  ['reads on while the record is unchanged', following, read(theirs), following, turn, readLater],
  [
    'counts from each renewal',
    expired,
    read(record('other', '2')),
    { ...following, record: record('other', '2') },
    turn,
    watchOf(record('other', '2')),
    readLater,
  ],
  [
    'shows a new holder',
    following,
    read(record('third', '2')),
    { ...following, record: record('third', '2') },
    turn,
    shows('third'),
    watchOf(record('third', '2')),
    readLater,
  ],
  ['waits for the next read if the record expires', following, recordExpired, expired],
  ['takes an expired record that is still unchanged', expired, read(theirs), expired, turn, take(theirs)],
  [
    'takes a lease without a holder',
    newCandidacy,
    read(free),
    { ...following, record: free },
    turn,
    watchOf(free),
    take(free),
  ],
  ['takes its own lease', newCandidacy, read(ours), { ...following, record: ours }, turn, watchOf(ours), take(ours)],
  ['creates a missing lease', following, read(undefined), following, turn, take(undefined)],
  ['reads on after a failed read', following, readFailed(down), following, failedTurn(down), readLater],
  ['reads on if another client wrote first', expired, writeFailed(conflict), expired, readLater],
  ['reads on if another client created the lease first', following, writeFailed(exists), following, readLater],
  ['reports another failure to take the lease', expired, writeFailed(missing), expired, failedTurn(missing), readLater],
  [
    'leads after its write',
    expired,
    written,
    leading,
    { do: 'report', state: { is: 'leading' } },
    { do: 'begin-work' },
    renewLater,
  ],
  ['ends at once if it is stopped before it leads', following, stopped, over],
  ['renews', reread, written, leading, turn, renewLater],
  ['reads the lease if a renewal conflicts', leading, writeFailed(conflict), leading, readNow],
  ['renews at once if the lease is still its own', leading, read(ours), reread, take(ours)],
  ['pauses after a second conflict', reread, writeFailed(conflict), leading, failedTurn(conflict), renewLater],
  ['renews again after a failure', leading, writeFailed(down), leading, failedTurn(down), renewLater],
  ['renews again after a failed read', leading, readFailed(down), leading, failedTurn(down), renewLater],
  [
    'loses a lease that another client took',
    leading,
    read(theirs),
    losing('other holds the lease'),
    failedTurn(new Error('other holds the lease')),
    endWork('other holds the lease'),
  ],
  [
    'loses a lease without a holder',
    leading,
    read(free),
    losing('the lease has no holder'),
    failedTurn(new Error('the lease has no holder')),
    endWork('the lease has no holder'),
  ],
  [
    'loses a deleted lease by a write',
    leading,
    writeFailed(missing),
    losing('the lease was deleted'),
    failedTurn(missing),
    endWork('the lease was deleted'),
  ],
  [
    'loses a deleted lease by a read',
    leading,
    read(undefined),
    losing('the lease was deleted'),
    turn,
    endWork('the lease was deleted'),
  ],
  ['loses the lease at the end of its term', leading, termExpired, losing(late), endWork(late)],
  ['is over if its work ends by itself', leading, workEnded, over, { do: 'end-work', why: 'the leader has ended' }],
  ['waits for the end of its work if it is stopped', leading, stopped, stopping],
  ['follows again after it lost', losing('x'), workEnded, newCandidacy, showsLost('x'), readNow],
  ['is over after its work if it was stopped', stopping, workEnded, over],
  [
    'is over after its work if it lost and was stopped',
    { ...losing('x'), stopping: true },
    workEnded,
    over,
    showsLost('x'),
  ],
  ['is over after an error of its work', losing('x'), workFailed, over],
  ['remembers a stop while its work ends', losing('x'), stopped, { ...losing('x'), stopping: true }],
  ['loses the lease while its work ends', stopping, termExpired, { ...stopping, lost: late }],
  ['keeps the first reason of a loss', losing('x'), termExpired, losing('x')],
  ['grants no term to work that ends', stopping, written, stopping],
  ['reports no failure while its work ends', stopping, writeFailed(down), stopping],
  ['does nothing after its end', over, written, over],
]

for (const [title, before, event, ...expected] of rows) {
  it(title, () => expect(elect(before, event, 'me')).toEqual(expected))
}
