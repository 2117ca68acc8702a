// The refusals of Gitea's REST API, and of its runner protocol, whose status is a sentence inside HTTP 500.
import { type Answer, jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'
import type { Call } from '../server/router.ts'

export function giteaError(call: Call, status: number, message: string): Refusal {
  return new Refusal(jsonAnswer(status, { message, url: swaggerUrl(call) }))
}

export function notFound(call: Call, message = 'not found'): Refusal {
  return new Refusal(jsonAnswer(404, { errors: null, message, url: swaggerUrl(call) }))
}

function swaggerUrl({ origin }: Call): string {
  return `${origin}/api/swagger`
}

/** A path that no route has. */
export function noRoute(): Refusal {
  return new Refusal(textAnswer(404, '404 page not found\n'))
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
