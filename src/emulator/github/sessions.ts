// Message sessions: at most one active session a scale set; it is the right to poll (scale-set protocol 8).
import { uuid } from '../../lib/ids.ts'
import type { Emulation } from './emulation.ts'
import type { ScaleSet, Session } from './state.ts'

/** Opens a session; undefined while another one is active. One that has not polled for too long is replaced. */
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

/** Ends a session; a poll that is held learns it at once. */
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
