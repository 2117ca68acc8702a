// The refusals of Gitea's REST API, and of its runner protocol, whose status is a sentence inside HTTP 500.
import { type Answer, jsonAnswer, type Method, textAnswer } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'
import { type Call, emptyAnswer } from '../server/router.ts'

export function giteaError(call: Call, status: number, message: string): Refusal {
  return new Refusal(restAnswer(status, { message, url: swaggerUrl(call) }))
}

/** @param causes the server's reasons, which it shows only for some objects */
export function notFound(call: Call, message = 'not found', ...causes: readonly string[]): Refusal {
  const errors = causes.length > 0 ? causes : null
  return new Refusal(restAnswer(404, { errors, message, url: swaggerUrl(call) }))
}

/** Returns a response with JSON as the REST API sends it. */
export function restAnswer(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return jsonAnswer(status, value, { 'content-type': 'application/json;charset=utf-8', ...headers })
}

function swaggerUrl({ origin }: Call): string {
  return `${origin}/api/swagger`
}

/** A path that no route has. */
export function noRoute(): Refusal {
  return new Refusal(textAnswer(404, '404 page not found\n'))
}

/** A path that has only routes of other methods. */
export function otherMethods(methods: readonly Method[]): Refusal {
  return new Refusal({ ...emptyAnswer(405), headers: { allow: methods.join(', ') } })
}

/** An error of the runner protocol. */
export function rpcError(message: string): Refusal {
  return new Refusal(connectError(500, 'unknown', message))
}

/** An error with a gRPC status, which is only text inside the message. */
export function rpcStatus(code: 'Unauthenticated' | 'Internal' | 'AlreadyExists', description: string): Refusal {
  return rpcError(`rpc error: code = ${code} desc = ${description}`)
}

export function connectError(status: number, code: string, message: string): Answer {
  return jsonAnswer(status, { code, message })
}
