// Message sessions. A scale set has at most one active session, and only its owner may poll (docs/reference/scale-set-protocol.md#s8).
import { uuid } from '@dayfly/kit/ids'
import type { Emulation } from './emulation.ts'
import type { ScaleSet, Session } from './state.ts'

/**
 * Opens a session. Returns undefined while another one is active.
 * A session expires if it has no poll for `sessionIdleS`. A poll that ends, also because its client disconnected, restarts that time.
 */
export function openSession(emulation: Emulation, set: ScaleSet, owner: string): Session | undefined {
  const { clock, knobs, random, state } = emulation
  const old = set.session
  if (old) {
    if (old.wake || clock.now() - old.lastPollAt < knobs.sessionIdleS * 1000) return undefined
    endSession(emulation, old)
  }
  const session: Session = {
    id: uuid(random),
    owner,
    set,
    serial: 1,
    lastPollAt: clock.now(),
    capacity: undefined,
    wake: undefined,
  }
  set.session = session
  state.sessions.set(session.id, session)
  return session
}

/** Ends a session. Its held poll fails at once. */
export function endSession(emulation: Emulation, session: Session): void {
  emulation.state.sessions.delete(session.id)
  if (session.set.session === session) session.set.session = undefined
  session.wake?.()
}

export function queueToken(emulation: Emulation, session: Session): string {
  const { set, id, serial } = session
  const claims = { kind: 'queue', scope: set.scope.key, set: set.id, session: id, serial } as const
  return emulation.tokens.issue(claims, emulation.knobs.queueTtlS, emulation.clock.now())
}
