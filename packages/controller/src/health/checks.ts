// The checks of /healthz and /readyz, from what is in memory. They make no call, so that a probe is cheap and always answered.
import type { Instant } from '@dayfly/kit/clock'
import { isPaused } from '@dayfly/runner-set/core/paused'
import type { ControllerState } from '../controller.ts'
import type { SetReading } from '../set-reading.ts'
import type { WatchState } from '../watch-health.ts'

/** `warning`: something needs an operator, but no other process would do better. It does not fail the probe. */
export type Check = {
  readonly name: string
  readonly is: 'ok' | 'warning' | 'failed'
  /** Why, or what holds. */
  readonly detail: string
}

/** A timer that is this late shows that the loop does not turn, in milliseconds. */
const beatMsMax = 15_000
/** The election reads or writes the Lease every few seconds, and gives up each attempt after 5 s. */
const turnMsMax = 30_000
/** The connection reads its credential again every 10 s. After this time only a new process may still find another one. */
const untrustedMsMax = 5 * 60_000
/** A watch that is down for longer makes the cache out of date. */
const staleMsMax = 30_000
/** How many sets a check names. */
const namedMax = 5

/** Checks whether a restart of the process would help. Failures that a new process would share belong to `readyChecks`. */
export function aliveChecks(state: ControllerState | undefined, beatAt: Instant, now: Instant): readonly Check[] {
  const lateMs = now - beatAt
  const loop: Check =
    lateMs > beatMsMax
      ? { name: 'loop', is: 'failed', detail: `no timer ran for ${seconds(lateMs)}` }
      : { name: 'loop', is: 'ok', detail: 'timers run' }
  if (!state) return [loop]
  const quietMs = now - state.election.turnedAt
  const election: Check =
    quietMs > turnMsMax
      ? { name: 'election', is: 'failed', detail: `the Lease was not looked at for ${seconds(quietMs)}` }
      : { name: 'election', is: 'ok', detail: 'the election turns' }
  return [loop, election, credentialCheck(state, now)]
}

function credentialCheck({ watches }: ControllerState, now: Instant): Check {
  const name = 'credential'
  const failures = watches.map(({ failure }) => (failure?.isUntrusted ? failure : undefined))
  const [failure] = failures
  if (!failure || !failures.every((each) => each && now - each.since > untrustedMsMax)) {
    return { name, is: 'ok', detail: 'the API server is not known to refuse it' }
  }
  return {
    name,
    is: 'failed',
    detail: `the cluster is out of reach for ${seconds(now - failure.since)}: ${failure.why}`,
  }
}

/** Checks whether the process leads or can take over at once. @param waiting why there is no controller yet */
export function readyChecks(
  state: ControllerState | undefined,
  waiting: string | undefined,
  now: Instant,
): readonly Check[] {
  if (!state) return [{ name: 'api-server', is: 'failed', detail: waiting ?? 'the API server has not answered yet' }]
  return [electionCheck(state), ...state.watches.map((watch) => watchCheck(watch, now)), forgeCheck(state)]
}

/** Returns the body of a probe, as the API server's own: one line a check, then the result. */
export function describeChecks(endpoint: string, checks: readonly Check[]): string {
  const marks = { ok: '[+]', warning: '[!]', failed: '[-]' }
  const lines = checks.map(({ name, is, detail }) => `${marks[is]}${name} ${is}: ${detail}`)
  return `${[...lines, `${endpoint} check ${passes(checks) ? 'passed' : 'failed'}`].join('\n')}\n`
}

export function passes(checks: readonly Check[]): boolean {
  return checks.every(({ is }) => is !== 'failed')
}

function electionCheck({ election: { state, failure } }: ControllerState): Check {
  const name = 'election'
  const unseen = failure === undefined ? '' : ` The Lease cannot be used: ${failure}`
  if (state?.is === 'leading') {
    return { name, is: unseen ? 'warning' : 'ok', detail: `this process leads.${unseen}` }
  }
  if (unseen) return { name, is: 'failed', detail: unseen.trim() }
  if (state?.is === 'following') return { name, is: 'ok', detail: `warm standby of ${state.holder}.` }
  const why = state?.is === 'lost' ? `leadership was lost: ${state.why}.` : 'no leader is known yet.'
  return { name, is: 'failed', detail: why }
}

function watchCheck({ resource, listedAt, failure }: WatchState, now: Instant): Check {
  const name = `cache-${resource}`
  if (listedAt === undefined) {
    return { name, is: 'failed', detail: failure ? `never listed: ${failure.why}` : 'not listed yet' }
  }
  if (!failure) return { name, is: 'ok', detail: 'complete and watched' }
  const downMs = now - failure.since
  const is = downMs > staleMsMax ? 'failed' : 'warning'
  return { name, is, detail: `the watch is down for ${seconds(downMs)}: ${failure.why}` }
}

/** The forge fails no probe: other sets work, and a new process would reach it no better. A standby has no connections. */
function forgeCheck({ election, sets }: ControllerState): Check {
  const name = 'forge'
  if (election.state?.is !== 'leading') return { name, is: 'ok', detail: 'only the leader connects' }
  const active = sets.filter(({ set }) => !isPaused(set))
  const failing = active.filter(({ connected, forgeFailure }) => !connected || forgeFailure !== undefined)
  const good = `${active.length - failing.length} of ${active.length} sets connected`
  if (failing.length === 0) return { name, is: 'ok', detail: good }
  const named = failing.slice(0, namedMax).map(describeSet)
  const others = failing.length > namedMax ? `; and ${failing.length - namedMax} more` : ''
  return { name, is: 'warning', detail: `${good}; ${named.join('; ')}${others}` }
}

function describeSet({ set: { namespace, name }, forgeFailure }: SetReading): string {
  const why = forgeFailure ? `${forgeFailure.reason}: ${forgeFailure.message}` : 'not connected yet'
  return `${namespace}/${name}: ${why}`
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
