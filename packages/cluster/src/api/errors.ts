// The API server's refusals as Kubernetes Status objects. Clients read reason, code and causes; people read the
// message.
import type { FieldError } from './values/field-error.ts'

type StatusCause = { readonly reason: string; readonly message: string; readonly field?: string }

export type Status = {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Readonly<Record<string, unknown>>
  readonly status: 'Failure'
  readonly message: string
  /** Absent for an error that Kubernetes does not classify. */
  readonly reason?: string
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly uid?: string
    readonly causes?: readonly StatusCause[]
    readonly retryAfterSeconds?: number
  }
  readonly code: number
}

/** A refusal. `status` is the body of the response, `status.code` its HTTP status. */
export class ApiError extends Error {
  readonly status: Status

  constructor(code: number, reason: string | undefined, message: string, details?: Status['details']) {
    super(message)
    this.name = 'ApiError'
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    }
  }

  /** Sets the list metadata of the Status and returns this error. */
  withMetadata(metadata: Status['metadata']): ApiError {
    return Object.assign(this, { status: { ...this.status, metadata } })
  }
}

/** The names of a kind in messages: `pods`, `leases.coordination.k8s.io`. */
export type Named = { readonly group: string; readonly plural: string; readonly kind: string }

export function notFound(kind: Named, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${resourceOf(kind)} "${name}" not found`, detailsOf(kind, name))
}

/** 404: the path or the kind does not exist. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}

/** @param deleting the existing object is being deleted. */
export function alreadyExists(kind: Named, name: string, deleting = false): ApiError {
  const message = `${deleting ? 'object is being deleted: ' : ''}${resourceOf(kind)} "${name}" already exists`
  return new ApiError(409, 'AlreadyExists', message, detailsOf(kind, name))
}

/** 409: every generated name was taken. */
export function nameNotGenerated(kind: Named, name: string): ApiError {
  const why = 'already exists, the server was not able to generate a unique name for the object'
  const details = { ...detailsOf(kind, name), retryAfterSeconds: 1 }
  return new ApiError(409, 'AlreadyExists', `${resourceOf(kind)} "${name}" ${why}`, details)
}

/** 409: another client changed the object since it was read (optimistic locking). */
export function modified(kind: Named, name: string): ApiError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again'
  return conflict({ group: kind.group, kind: kind.plural }, name, why)
}

/** 409 for the given subject: a resource, a kind or `pods/binding`. */
export function conflict(
  subject: { readonly group: string; readonly kind: string },
  name: string,
  why: string,
): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(subject.kind, subject.group)} "${name}": ${why}`
  return new ApiError(409, 'Conflict', message, { name, ...groupOf(subject.group), kind: subject.kind })
}

export function forbidden(kind: Named, name: string, why: string, causes?: readonly StatusCause[]): ApiError {
  const subject = name === '' ? resourceOf(kind) : `${resourceOf(kind)} "${name}"`
  const details = { ...detailsOf(kind, name), ...(causes === undefined ? {} : { causes }) }
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details)
}

/** 403: no object may be created in a namespace that is being deleted. */
export function namespaceTerminating(kind: Named, name: string, namespace: string): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const message = `namespace ${namespace} is being terminated`
  return forbidden(kind, name, why, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }])
}

/** 422 with one cause for each error. The message is `Pod "x" is invalid: a` for one error, `[a, b]` for several. */
export function invalid(
  subject: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const lines = [...new Set(errors.map((error) => `${error.field}: ${error.body}`))]
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  const causes = errors.map((error) => ({ reason: error.reason, message: error.body, field: error.field }))
  const named = { ...(name === '' ? {} : { name }), ...(subject.kind === '' ? {} : { kind: subject.kind }) }
  const details = { ...named, ...groupOf(subject.group), causes }
  return new ApiError(
    422,
    'Invalid',
    `${qualified(subject.kind, subject.group)} "${name}" is invalid: ${text}`,
    details,
  )
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

/** 410: the requested revision is no longer available. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message)
}

export function unsupportedMediaType(message: string): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', message)
}

export function methodNotAllowed(kind: Named, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${resourceOf(kind)}"`
  return new ApiError(405, 'MethodNotAllowed', message, { ...groupOf(kind.group), kind: kind.plural })
}

export function tooLarge(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ reason: '', message }],
  })
}

function resourceOf(kind: Named): string {
  return qualified(kind.plural, kind.group)
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`
}

function groupOf(group: string): { readonly group?: string } {
  return group === '' ? {} : { group }
}

function detailsOf(kind: Named, name: string): NonNullable<Status['details']> {
  return { ...(name === '' ? {} : { name }), ...groupOf(kind.group), kind: kind.plural }
}
