// The message queue: long poll and acknowledgement (docs/reference/scale-set-protocol.md#s9). In hosted mode all sessions share one URL; in legacy mode each has its own.
import { type Answer, jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { hold } from '../server/deadlines.ts'
import { Refusal } from '../server/refusal.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { authorizeQueue } from './authorize.ts'
import type { Emulation } from './emulation.ts'
import { acknowledge, nextMessage } from './messages.ts'
import { exception } from './refusal.ts'
import { settle } from './settle.ts'
import type { Session } from './state.ts'

export function queueRoutes(emulation: Emulation): readonly Route[] {
  const legacy = '/tenant/:tenant/_apis/runtime/runnerscalesets/:set/sessions/:session/messages'
  return ['/scalesets/message', legacy].flatMap((pattern): Route[] => [
    { method: 'GET', pattern, run: (call) => poll(emulation, call) },
    { method: 'DELETE', pattern: `${pattern}/:message`, run: (call) => acknowledgeMessage(emulation, call) },
  ])
}

async function poll(emulation: Emulation, call: Call): Promise<Answer> {
  const session = authorizeQueue(emulation, call)
  const { set } = session
  const lastMessageId = Number(call.request.query['lastMessageId'] ?? 0)
  const capacity = capacityOf(call)
  if (!Number.isSafeInteger(lastMessageId)) throw exception('ArgumentException', 'lastMessageId is not a number.')
  supersede(session)
  session.capacity = capacity
  session.lastPollAt = emulation.clock.now()
  settle(emulation)
  let message = nextMessage(emulation, set, lastMessageId)
  if (!message && (await waitForMessage(emulation, session, call))) message = nextMessage(emulation, set, lastMessageId)
  return message ? jsonAnswer(200, message.value) : emptyAnswer(202)
}

/** Ends the held poll of a session with 202: the newer of two polls wins. */
function supersede(session: Session): void {
  const { wake } = session
  session.wake = undefined
  wake?.()
}

/**
 * Holds the poll until a message may be ready or the time is up. Returns false if a newer poll took its place; rejects if the session has ended.
 * If the client disconnects, the session has no held poll any more, and the time until it expires starts.
 */
async function waitForMessage(emulation: Emulation, session: Session, call: Call): Promise<boolean> {
  const held = hold(emulation.clock, emulation.knobs.longPollMs, call.request.signal)
  session.wake = held.wake
  let superseded = false
  try {
    await held.done
  } finally {
    superseded = session.wake !== held.wake
    if (!superseded) session.wake = undefined
    session.lastPollAt = emulation.clock.now()
  }
  if (superseded) return false
  authorizeQueue(emulation, call)
  return true
}

function capacityOf(call: Call): number {
  const header = call.request.headers['x-scalesetmaxcapacity'] ?? ''
  if (!/^\d{1,10}$/.test(header)) throw new Refusal(textAnswer(400, 'X-ScaleSetMaxCapacity must be an integer >= 0'))
  return Number(header)
}

function acknowledgeMessage(emulation: Emulation, call: Call): Answer {
  const { set } = authorizeQueue(emulation, call)
  const known = acknowledge(set, Number(call.params['message']))
  return emptyAnswer(known ? 204 : emulation.knobs.unknownMessage)
}
