// One request on its way through the API server: its route, its caller, the backend, and the accepted form of the
// answer.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Profile } from '../api/api.ts'
import { badRequest } from '../api/errors.ts'
import { apiVersionOf } from '../api/kind.ts'
import { asRead } from '../api/kinds/as-read.ts'
import type { NodeApi } from '../api/node.ts'
import type { Registry } from '../api/registry.ts'
import type { Tokens } from '../api/tokens.ts'
import type { StoredObject } from '../store/object.ts'
import type { Identity } from './authentication.ts'
import { type Accepted, negotiate, notAcceptable } from './negotiation.ts'
import type { ResourceRoute } from './route.ts'
import { type IncludeObject, printerOf, tableOf } from './table/table.ts'

/** The parts of the cluster that the API server uses. */
export type Backend = {
  readonly registry: Registry
  /** Issues the tokens of service accounts. Without it, the server issues none. */
  readonly tokens?: Tokens
  readonly node: NodeApi
  readonly clock: Clock
  readonly random: Random
  readonly profile: Profile
}

export type Call = {
  readonly backend: Backend
  readonly request: Request
  readonly route: ResourceRoute
  readonly user: Identity
  readonly accepted: Accepted
}

export function callOf(backend: Backend, request: Request, about: Pick<Call, 'route' | 'user'>): Call {
  const { route, user } = about
  return { backend, request, route, user, accepted: negotiate(request.headers['accept']) }
}

/**
 * Kubernetes' message for a list form that was requested for one object.
 * Source:
 * https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go
 */
export const notAList = 'you requested PartialObjectMetadataList, but the requested object is not a list'

/** Returns the object in the version and the form that the client accepts. */
export function objectAnswer(
  call: Call,
  status: number,
  object: StoredObject,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const seen = asRead(object, call.route.kind, call.route.version)
  if (call.accepted === 'json') return jsonAnswer(status, seen, headers)
  if (call.accepted === 'metadata') return jsonAnswer(status, metadataOf(object), headers)
  if (call.accepted === 'metadata-list') throw notAcceptable(notAList)
  const { resourceVersion } = object.metadata
  return jsonAnswer(status, tableMaker(call)([seen], { resourceVersion }, true), headers)
}

/** Returns the metadata alone: enough for clients that count, find owners or collect garbage. */
export function metadataOf({ metadata }: { readonly metadata: object }): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}

/** Returns a list. Items of built-in kinds have no apiVersion and kind, as in Kubernetes. */
export function listObject(
  { kind, version }: ResourceRoute,
  objects: readonly StoredObject[],
  metadata: Readonly<Record<string, unknown>>,
): object {
  const items = kind.custom ? objects.map((object) => asRead(object, kind, version)) : objects.map(withoutType)
  return { kind: kind.listKind, apiVersion: apiVersionOf(kind, version), metadata, items }
}

function withoutType({ apiVersion: _, kind: __, ...object }: StoredObject): object {
  return object
}

/** Returns a function that makes tables as this client requested them. */
export function tableMaker(
  call: Call,
): (objects: readonly StoredObject[], metadata: Readonly<Record<string, unknown>>, withColumns: boolean) => object {
  const { route, request, backend } = call
  const printer = printerOf(route.kind, route.version)
  const includeObject = includeObjectOf(request.query['includeObject'])
  return (objects, metadata, withColumns) =>
    tableOf(objects, metadata, { printer, includeObject, now: backend.clock.now(), withColumns })
}

function includeObjectOf(given: string | undefined): IncludeObject {
  if (given === undefined || given === '') return 'Metadata'
  if (given === 'None' || given === 'Metadata' || given === 'Object') return given
  const why = `Invalid value: ${JSON.stringify(given)}: must be 'Metadata', 'Object', 'None', or empty`
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${why}`)
}
