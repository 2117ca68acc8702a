// The part of the control API under `/_emulator` that every emulated forge has: its clock, its faults and its request log.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { type FaultSpec, faultSchema } from './faults.ts'
import { Refusal } from './refusal.ts'
import type { LoggedRequest } from './request-log.ts'
import { type Call, emptyAnswer, type Route } from './router.ts'

/** The requests that the control API and tests make of every emulator. */
export interface ServerControl {
  requests(since?: number): readonly LoggedRequest[]
  fault(spec: FaultSpec): number
  removeFault(id: number): boolean
  /** Clears everything except the knobs and the listeners. */
  reset(): void
}

export function serverRoutes(control: ServerControl, clock: Clock): readonly Route[] {
  return [
    { method: 'POST', pattern: '/_emulator/reset', run: () => done(control.reset) },
    { method: 'POST', pattern: '/_emulator/clock', run: (call) => advance(clock, call) },
    { method: 'GET', pattern: '/_emulator/requests', run: (call) => jsonAnswer(200, control.requests(since(call))) },
    { method: 'POST', pattern: '/_emulator/faults', run: (call) => addFault(control, call) },
    {
      method: 'DELETE',
      pattern: '/_emulator/faults/:id',
      run: (call) => found(control.removeFault(Number(call.params['id']))),
    },
  ]
}

function addFault(control: ServerControl, call: Call): Answer {
  const spec = parsed(faultSchema, call)
  try {
    return jsonAnswer(201, { id: control.fault(spec) })
  } catch {
    return refuse(400, 'match.pathRegex is not a valid regular expression.')
  }
}

const clockSchema = z.strictObject({ advanceMs: z.number().int().nonnegative() })

/** Advances a virtual clock. Its timers run in order before the response. */
async function advance(clock: Clock, call: Call): Promise<Answer> {
  const { advanceMs } = parsed(clockSchema, call)
  if (!('advance' in clock) || typeof clock.advance !== 'function')
    return refuse(409, 'The emulator uses the system clock, which cannot be advanced.')
  await clock.advance(advanceMs)
  return jsonAnswer(200, { now: new Date(clock.now()).toISOString() })
}

function since(call: Call): number {
  const n = Number(call.request.query['since'] ?? 0)
  return Number.isSafeInteger(n) ? n : refuse(400, 'since must be an integer.')
}

/** Returns the body of a control call, or refuses it with the first problem. */
export function parsed<T>(schema: z.ZodType<T>, call: Call): T {
  if (call.request.body.kind === 'text') return refuse(400, 'The body is not JSON.')
  const result = schema.safeParse(call.body ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  return refuse(400, `The body is not valid: ${where}${issue?.message}`)
}

export function done(change: () => void): Answer {
  change()
  return emptyAnswer(204)
}

export function found(yes: boolean): Answer {
  return yes ? emptyAnswer(204) : refuse(404, 'The object does not exist, or its state does not allow this call.')
}

export function refuse(status: number, error: string): never {
  throw new Refusal(jsonAnswer(status, { error }))
}
