// The API server as one function from a request to its answer, on plain values. It authenticates and authorizes the
// caller, routes the request and writes the answer. The rules of objects are in the registry.
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import { ApiError } from '../api/errors.ts'
import { absentRefusal } from './absent.ts'
import { accessReviewAnswer, accessReviews } from './access-review.ts'
import { type Authenticate, type Identity, identityOf, impersonated, masters } from './authentication.ts'
import { authorize, refusalOf } from './authorization.ts'
import { type Backend, type Call, callOf } from './call.ts'
import { deleteAnswer, deleteCollectionAnswer } from './deletion.ts'
import { discoveryAnswer, versionInfo } from './discovery.ts'
import { evictionAnswer } from './eviction.ts'
import { openApiAnswer } from './openapi/openapi.ts'
import { execAnswer } from './pod-exec.ts'
import { logAnswer } from './pod-log.ts'
import { podMetrics, podMetricsAnswer } from './pod-metrics.ts'
import { getAnswer, listAnswer, watchAnswer } from './reading.ts'
import { readProtobuf } from './request-body.ts'
import type { RequestLog } from './request-log.ts'
import { type Attributes, attributesOf, methodNotAllowed, type ResourceRoute, resourceName, routeOf } from './route.ts'
import { scaleAnswer } from './scale.ts'
import { tokenAnswer } from './token-request.ts'
import { bindingAnswer, createAnswer, patchAnswer, updateAnswer } from './writing.ts'

type ApiHandlerOptions = Backend & {
  readonly authenticate: Authenticate
  readonly requestLog: RequestLog
}

/**
 * Creates a handler. Every refusal is an answer with a Status; it rejects only on internal errors. Several handlers
 * may share a backend and a log, for example one for each identity in the process.
 */
export function createApiHandler(options: ApiHandlerOptions): (request: Request) => Promise<Answer> {
  const answer = undated(options)
  const date = dates()
  return async (request) => {
    const { status, headers, body } = await answer(request)
    // Clients read the time of the server from each answer.
    return { status, headers: { date: date(options.clock.now()), ...headers }, body }
  }
}

/** Returns a function that writes a time as a header. It has whole seconds, so that many answers share one text. */
function dates(): (now: Instant) => string {
  let last = { second: Number.NaN, text: '' }
  return (now) => {
    const second = Math.floor(now / 1_000)
    if (second !== last.second) last = { second, text: new Date(now).toUTCString() }
    return last.text
  }
}

function undated(options: ApiHandlerOptions): (request: Request) => Promise<Answer> {
  return async (request) => {
    const about: { user: string; route: ResourceRoute | undefined } = { user: '', route: undefined }
    let status = 500
    try {
      const user = userOf(options, request)
      about.user = user.name
      if (!user.groups.includes(masters)) requirePermission(options, user, attributesOf(request))
      about.route = routeOf(request, options.registry.kinds)
      const answer = about.route
        ? await resourceAnswer(options, request, { route: about.route, user })
        : pathAnswer(options, request)
      status = answer.status
      return answer
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      status = error.status.code
      return refusal(error)
    } finally {
      record(options, request, { ...about, status })
    }
  }
}

/**
 * Returns the identity to act as. Throws a 401 for an unknown caller, and a 403 if the caller may not impersonate that
 * user.
 */
function userOf(options: ApiHandlerOptions, request: Request): Identity {
  const name = options.authenticate(request)
  if (name === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized')
  const user = identityOf(name)
  const other = impersonated(request)
  if (!other) return user
  const at = { is: 'resource', verb: 'impersonate', group: '', subresource: '', namespace: '' } as const
  requirePermission(options, user, { ...at, resource: 'users', name: other.name })
  for (const group of other.groups) requirePermission(options, user, { ...at, resource: 'groups', name: group })
  return other
}

function requirePermission({ registry }: Backend, user: Identity, what: Attributes): void {
  if (!authorize(registry, user, what).allowed) throw refusalOf(user, what)
}

async function resourceAnswer(
  backend: Backend,
  request: Request,
  about: { readonly route: ResourceRoute; readonly user: Identity },
): Promise<Answer> {
  const { route } = about
  const call = callOf(backend, request.body.kind === 'bytes' ? await readProtobuf(request) : request, about)
  if (route.subresource !== '') return subresourceAnswer(call)
  if (route.kind.resource === podMetrics) return podMetricsAnswer(call)
  switch (route.verb) {
    case 'get':
      return getAnswer(call)
    case 'list':
      return listAnswer(call)
    case 'watch':
      return watchAnswer(call)
    case 'create':
      return route.kind.resource === accessReviews ? accessReviewAnswer(call) : createAnswer(call)
    case 'update':
      return updateAnswer(call)
    case 'patch':
      return patchAnswer(call)
    case 'delete':
      return deleteAnswer(call)
    case 'deletecollection':
      return deleteCollectionAnswer(call)
  }
}

function subresourceAnswer(call: Call): Answer | Promise<Answer> {
  const { subresource, verb } = call.route
  if (subresource === 'status' && verb === 'get') return getAnswer(call)
  if (subresource === 'status' && verb === 'patch') return patchAnswer(call)
  if ((subresource === 'status' || subresource === 'finalize') && verb === 'update') return updateAnswer(call)
  if (subresource === 'token' && verb === 'create') return tokenAnswer(call)
  if (subresource === 'eviction' && verb === 'create') return evictionAnswer(call)
  if (subresource === 'scale') return scaleAnswer(call)
  if (subresource === 'log' && verb === 'get') return logAnswer(call)
  if (subresource === 'exec' && (verb === 'get' || verb === 'create')) return execAnswer(call)
  if (subresource === 'binding' && verb === 'create') return bindingAnswer(call)
  throw methodNotAllowed()
}

/** Answers paths that are not resources: discovery, OpenAPI, health. */
function pathAnswer(backend: Backend, request: Request): Answer {
  const answer = rootAnswer(backend, request)
  const absent = answer ? undefined : absentRefusal(request)
  if (absent) throw absent
  if (!answer) return textAnswer(404, '404 page not found\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed()
  return answer
}

function rootAnswer({ registry, profile }: Backend, request: Request): Answer | undefined {
  switch (request.path.split('/', 2)[1]) {
    case 'api':
    case 'apis':
      return discoveryAnswer(request, registry.kinds)
    case 'openapi':
      return openApiAnswer(request, registry.kinds, profile)
    case 'version':
      return jsonAnswer(200, versionInfo(profile))
    case 'healthz':
    case 'livez':
    case 'readyz':
      return textAnswer(200, 'ok')
    default:
      return undefined
  }
}

function refusal(error: ApiError): Answer {
  const { retryAfterSeconds } = error.status.details ?? {}
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return jsonAnswer(error.status.code, error.status, headers)
}

function record(
  { requestLog, clock }: ApiHandlerOptions,
  { method, path }: Request,
  { user, route, status }: { user: string; route: ResourceRoute | undefined; status: number },
): void {
  const verb = route?.verb ?? method.toLowerCase()
  requestLog.record({ at: clock.now(), user, method, path, verb, resource: route ? resourceName(route) : '', status })
}
