// Injects faults into matching requests, the same for every emulated forge.
import { type Answer, noBody, type Request } from '@dayfly/kit/http'
import * as z from 'zod'

const actionSchema = z.discriminatedUnion('kind', [
  /** Sends a fixed response. The request is not carried out. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.number().int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    /** The JSON body. Alternatively, `text` is sent unchanged; set `content-type` for its type. */
    body: z.unknown().optional(),
    text: z.string().optional(),
  }),
  /**
   * Resets the connection. `before`: the request is not carried out, and no byte of a response is sent. `after`: it is carried out, and no byte of the
   * response is sent. `mid-body`: it is carried out, and the head and half of the body are sent; a response without a body arrives whole.
   */
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'after', 'mid-body']) }),
  /** Delays the request. */
  z.strictObject({ kind: z.literal('delay'), ms: z.number().int().nonnegative() }),
  /** Carries out the request and keeps the status, but changes the body: half of it, with a byte order mark, none, or with other members. */
  z.strictObject({ kind: z.literal('truncate') }),
  z.strictObject({ kind: z.literal('bom') }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('members'), members: z.record(z.string(), z.unknown()) }),
])

export const faultSchema = z.strictObject({
  match: z.strictObject({ method: z.string().optional(), pathRegex: z.string().max(500) }),
  /** The first matching request that gets the fault, from 1; `times` is the number of such requests. */
  nth: z.number().int().min(1).default(1),
  times: z.number().int().min(1).default(1),
  action: actionSchema,
})

export type FaultAction = z.infer<typeof actionSchema>
export type FaultSpec = z.input<typeof faultSchema>

export interface Faults {
  /** Adds a fault and returns its id. Throws if the regular expression is not valid. */
  add(spec: FaultSpec): number
  /** Removes a fault. Returns whether it existed. */
  remove(id: number): boolean
  clear(): void
  /** Counts the request at every matching fault. Returns the action of the first one that is due. */
  take(request: Request): FaultAction | undefined
}

export function createFaults(): Faults {
  const faults = new Map<number, { spec: z.output<typeof faultSchema>; path: RegExp; seen: number }>()
  let last = 0
  return {
    add: (given) => {
      const spec = faultSchema.parse(given)
      faults.set(++last, { spec, path: new RegExp(spec.match.pathRegex), seen: 0 })
      return last
    },
    remove: (id) => faults.delete(id),
    clear: () => faults.clear(),
    take: (request) => {
      let action: FaultAction | undefined
      for (const fault of faults.values()) {
        const { match, nth, times } = fault.spec
        if ((match.method ?? request.method) !== request.method || !fault.path.test(request.path)) continue
        fault.seen++
        if (fault.seen >= nth && fault.seen < nth + times) action ??= fault.spec.action
      }
      return action
    },
  }
}

/** A reset before the first byte: over HTTP the server resets the connection; in process the transport rejects. */
export const resetAnswer: Answer = { status: 200, headers: {}, body: { kind: 'cut', text: '' } }

/** Returns the response of an `answer` fault. */
export function faultAnswer(action: Extract<FaultAction, { kind: 'answer' }>): Answer {
  const { status, headers } = action
  if (action.text !== undefined) return { status, headers, body: { kind: 'text', text: action.text } }
  return { status, headers, body: action.body === undefined ? noBody : { kind: 'json', value: action.body } }
}

/** Applies the fault to the response of a request that was carried out. */
export function applyFault(action: FaultAction, answer: Answer): Answer {
  const { body } = answer
  if (action.kind === 'reset') return action.when === 'mid-body' ? cutInHalf(answer) : resetAnswer
  if (action.kind === 'empty') return { ...answer, body: noBody }
  if (body.kind !== 'json') return answer
  if (action.kind === 'members')
    return { ...answer, body: { kind: 'json', value: { ...Object(body.value), ...action.members } } }
  const text = JSON.stringify(body.value)
  if (action.kind === 'truncate') return jsonText(answer, text.slice(0, text.length / 2))
  return action.kind === 'bom' ? jsonText(answer, `\uFEFF${text}`) : answer
}

/** Returns a response that is reset after half of its body. */
function cutInHalf(answer: Answer): Answer {
  const { body } = answer
  if (body.kind !== 'json' && body.kind !== 'text') return answer
  const { text, type } =
    body.kind === 'json'
      ? { text: JSON.stringify(body.value), type: 'application/json' }
      : { text: body.text, type: 'text/plain; charset=utf-8' }
  const headers = { 'content-type': type, ...answer.headers }
  return { ...answer, headers, body: { kind: 'cut', text: text.slice(0, Math.ceil(text.length / 2)) } }
}

/** Returns a response whose text has the content type of JSON. */
export function jsonText(answer: Answer, text: string): Answer {
  return {
    ...answer,
    headers: { 'content-type': 'application/json', ...answer.headers },
    body: { kind: 'text', text },
  }
}
