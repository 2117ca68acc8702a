// Leader election on one Lease. A candidate measures with its own clock how long the record has not changed. It ignores the times in the record.
// A leader stops before others may take over: it counts from its last renewal request, and they count from when they saw that renewal.
import type { Clock, Timer } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { linkSignals } from '@dayfly/kit/signals'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import { KubernetesError } from './errors.ts'
import type { Kubernetes } from './kubernetes.ts'
import { heldLease, type LeaseRecord, leases, newLease, readLease, releasedLease } from './lease-record.ts'

type ElectionDurations = {
  /** How long candidates wait after the last renewal that they saw. */
  readonly leaseMs: number
  /** How long after its last renewal the leader stops. Much shorter than `leaseMs`, so that its requests in flight can end. */
  readonly renewMsMax: number
  /** The pause between two renewals. */
  readonly retryMs: number
  /** The pause between two reads of a candidate. It bounds how late a released lease is taken over. */
  readonly lookMs: number
}

export type ElectorOptions = {
  readonly kubernetes: Kubernetes
  readonly namespace: string
  readonly name: string
  /** Labels that this candidate gives the lease when it takes it. */
  readonly labels?: Readonly<Record<string, string>>
  /** The name of this candidate. It must be unique for each process, not only for each host. */
  readonly identity: string
  readonly clock: Clock
  /** Measures a term. It may measure too much, and never too little. */
  readonly stopwatch: Stopwatch
  readonly random: Random
  /** The defaults are 15 s, 10 s, 2 s and 1 s. */
  readonly durations?: Partial<ElectionDurations>
  readonly onState?: (state: ElectionState) => void
  /** Called after each read or write of the lease, with the error of one that failed. */
  readonly onTurn?: (error: unknown) => void
}

export type ElectionState =
  | { readonly is: 'following'; readonly holder: string }
  | { readonly is: 'leading' }
  /** Another process may lead from now on. */
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'stopped' }

export interface Leadership {
  /** Aborted when leadership ends for any reason, before another process can lead. */
  readonly signal: AbortSignal
  /** Returns whether no other process can lead. Check it right before a write: after a pause of the process, code may run before timers. */
  isCertain(): boolean
}

export interface Elector {
  /**
   * Runs `lead` each time this candidate is elected, and waits for its end before the next election. Resolves after it was stopped or `lead`
   * has ended by itself, and the lease is released. Rejects only with the error of `lead`.
   */
  run(lead: (leadership: Leadership) => Promise<void>, until: AbortSignal): Promise<void>
}

const durationsDefault: ElectionDurations = { leaseMs: 15_000, renewMsMax: 10_000, retryMs: 2_000, lookMs: 1_000 }
const releaseMsMax = 5_000

export function createElector(options: ElectorOptions): Elector {
  const lease = createLeaseAccess(options, { ...durationsDefault, ...options.durations })
  const report = options.onState ?? (() => {})
  return {
    run: async (lead, until) => {
      try {
        while (!until.aborted) {
          const term = await acquire(lease, until, report)
          if (!term) break
          report({ is: 'leading' })
          const lost = await leadAndRenew(lease, term, lead, until)
          if (lost === undefined) break
          report({ is: 'lost', why: lost })
        }
      } finally {
        // Releases the lease even without a term, because a request to take it may have succeeded unseen.
        await lease.release()
        report({ is: 'stopped' })
      }
    },
  }
}

/** One term of leadership. A successful write of the lease grants it for `renewMsMax`, counted from the request. */
type Term = { readonly record: LeaseRecord; readonly signal: AbortSignal; isCertain(): boolean; close(): void }

interface LeaseAccess {
  readonly identity: string
  /** Resolves with undefined if the lease does not exist yet. */
  look(until: AbortSignal): Promise<LeaseRecord | undefined>
  take(record: LeaseRecord | undefined, until: AbortSignal): Promise<Term>
  /** Throws `Superseded` if this candidate no longer holds the lease. */
  renew(record: LeaseRecord, until: AbortSignal): Promise<Term>
  /** Removes this candidate from the lease if it is the holder. Never rejects: an unreleased lease expires by itself. */
  release(): Promise<void>
  /** Waits between two reads of a candidate (`look`) or two renewals of the leader (`renew`). */
  pause(before: 'look' | 'renew', until: AbortSignal): Promise<void>
  /** Reports that the lease was read or written, or why not. */
  turned(error?: unknown): void
  after: Clock['after']
}

class Superseded extends Error {}

function createLeaseAccess(options: ElectorOptions, durations: ElectionDurations): LeaseAccess {
  const { kubernetes, namespace, name, labels, identity, clock, stopwatch, random } = options
  const at = { namespace, name }
  const hold = () => ({ holder: identity, durationMs: durations.leaseMs, at: clock.now(), labels })
  const read = async (signal: AbortSignal) => readLease(await kubernetes.get(leases, at, { signal }))
  const write = async (record: LeaseRecord, signal: AbortSignal) =>
    readLease((await kubernetes.replace(leases, heldLease(record, hold()), { signal })).object)
  /** Limits a request to half a term, which leaves time for a second request if one hangs. */
  const bounded = <T>(until: AbortSignal, work: (signal: AbortSignal) => Promise<T>) =>
    withDeadline(clock, { ms: durations.renewMsMax / 2, until }, work)
  const term = async (until: AbortSignal, work: (signal: AbortSignal) => Promise<LeaseRecord>): Promise<Term> => {
    const end = new AbortController()
    const elapsedMs = stopwatch()
    const isCertain = () => elapsedMs() < durations.renewMsMax
    const timer = clock.after(durations.renewMsMax, () => end.abort(new Error('the lease was not renewed in time')))
    try {
      const record = await bounded(until, work)
      return { record, isCertain, signal: end.signal, close: timer.cancel }
    } catch (error) {
      timer.cancel()
      throw error
    }
  }
  return {
    identity,
    after: clock.after,
    look: (until) => bounded(until, (signal) => orUndefined('not-found', read(signal))),
    take: (record, until) =>
      term(until, async (signal) =>
        record
          ? write(record, signal)
          : readLease((await kubernetes.create(leases, newLease(at, hold()), { signal })).object),
      ),
    renew: (record, until) =>
      term(until, async (signal) => {
        const renewed = await orUndefined('conflict', write(record, signal))
        if (renewed) return renewed
        // Either another client wrote, or an earlier renewal succeeded and its answer was lost.
        const current = await read(signal)
        if (current.holder !== identity)
          throw new Superseded(current.holder ? `${current.holder} holds the lease` : 'the lease has no holder')
        return write(current, signal)
      }),
    release: () =>
      withDeadline(clock, { ms: releaseMsMax, until: undefined }, async (signal) => {
        const current = await read(signal)
        if (current.holder !== identity) return
        await kubernetes.replace(leases, releasedLease(current, clock.now()), { signal })
      }).catch(() => undefined),
    pause: (before, until) => {
      const ms = before === 'look' ? durations.lookMs : durations.retryMs
      return clock.sleep(ms * (0.9 + random() * 0.2), until).catch(() => undefined)
    },
    turned: options.onTurn ?? (() => {}),
  }
}

/** Reads the lease and tries to take it until this candidate holds it. Resolves with undefined if it was stopped. */
async function acquire(
  lease: LeaseAccess,
  until: AbortSignal,
  report: (state: ElectionState) => void,
): Promise<Term | undefined> {
  let seen: { readonly resourceVersion: string; readonly holder: string; readonly timer: Timer } | undefined
  let expired = false
  try {
    while (!until.aborted) {
      try {
        const record = await lease.look(until)
        lease.turned()
        const free = !record || record.holder === '' || record.holder === lease.identity
        if (record && record.resourceVersion !== seen?.resourceVersion) {
          seen?.timer.cancel()
          expired = false
          if (!free && record.holder !== seen?.holder) report({ is: 'following', holder: record.holder })
          const timer = lease.after(record.durationMs, () => {
            expired = true
          })
          seen = { resourceVersion: record.resourceVersion, holder: record.holder, timer }
        }
        if (free || expired) return await lease.take(record, until)
      } catch (error) {
        // Another candidate was faster, or there was no answer. The next read shows which. The timer of the seen record goes on.
        if (!until.aborted && !isLostRace(error)) lease.turned(error)
      }
      await lease.pause('look', until)
    }
    return undefined
  } finally {
    seen?.timer.cancel()
  }
}

/** Runs `lead` and renews the lease. Resolves with undefined if `lead` ended or was stopped, or else with the reason why leadership was lost. */
async function leadAndRenew(
  lease: LeaseAccess,
  first: Term,
  lead: (leadership: Leadership) => Promise<void>,
  until: AbortSignal,
): Promise<string | undefined> {
  const link = linkSignals(until)
  let term = first
  let lost: string | undefined
  const lose = (why: string) => {
    lost ??= why
    link.abort(new Error(`leadership was lost: ${why}`))
  }
  const onEnd = () => lose('the lease was not renewed in time')
  term.signal.addEventListener('abort', onEnd)
  const leading = lead({ signal: link.signal, isCertain: () => term.isCertain() }).then(
    () => link.abort(new Error('the leader has ended')),
    (error: unknown) => {
      const asked = link.signal.aborted
      link.abort(error)
      if (!asked || error !== link.signal.reason) throw error
    },
  )
  const renewing = (async () => {
    for (;;) {
      await lease.pause('renew', link.signal)
      if (link.signal.aborted) return
      try {
        const next = await lease.renew(term.record, link.signal)
        lease.turned()
        if (link.signal.aborted) return next.close()
        term.signal.removeEventListener('abort', onEnd)
        term.close()
        term = next
        term.signal.addEventListener('abort', onEnd)
      } catch (error) {
        if (!link.signal.aborted) lease.turned(error)
        if (error instanceof Superseded) lose(error.message)
        else if (error instanceof KubernetesError && error.kind === 'not-found') lose('the lease was deleted')
      }
    }
  })()
  try {
    await Promise.all([leading, renewing])
    return lost
  } finally {
    term.close()
    link.dispose()
  }
}

/** Returns whether another candidate wrote the lease first, which is no failure of the election. */
function isLostRace(error: unknown): boolean {
  return error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'already-exists')
}

async function orUndefined<T>(kind: KubernetesError['kind'], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === kind) return undefined
    throw error
  }
}

/** Runs the work with a signal that is aborted after `ms`, or with `until`. */
async function withDeadline<T>(
  clock: Clock,
  { ms, until }: { readonly ms: number; readonly until: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const link = linkSignals(until)
  const timer = clock.after(ms, () => link.abort(new Error(`no answer within ${ms / 1000} s`)))
  try {
    return await work(link.signal)
  } finally {
    timer.cancel()
    link.dispose()
  }
}
