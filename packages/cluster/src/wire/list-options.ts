// Parses and validates the query of list, watch and deletecollection.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go
import type { Request } from '@dayfly/kit/http'
import { ApiError, badRequest, invalid } from '../api/errors.ts'
import { type FieldError, notAllowed, notSupported } from '../api/values/field-error.ts'
import { isTrue } from './route.ts'

export type ListOptions = {
  readonly labelSelector: string
  readonly fieldSelector: string
  /** Undefined if the query does not have it. */
  readonly resourceVersion: number | undefined
  readonly match: '' | 'Exact' | 'NotOlderThan'
  /** 0 means no limit. */
  readonly limit: number
  readonly continue: string
  readonly sendInitialEvents: boolean | undefined
  readonly allowWatchBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

export function listOptions(query: Request['query'], verb: 'list' | 'watch'): ListOptions {
  const match = query['resourceVersionMatch'] ?? ''
  const initial = query['sendInitialEvents']
  const options = {
    labelSelector: query['labelSelector'] ?? '',
    fieldSelector: query['fieldSelector'] ?? '',
    resourceVersion: resourceVersionOf(query),
    limit: wholeNumber(query, 'limit') ?? 0,
    continue: query['continue'] ?? '',
    sendInitialEvents: initial === undefined || initial === '' ? undefined : isTrue(initial),
    allowWatchBookmarks: isTrue(query['allowWatchBookmarks']),
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds'),
  }
  const errors = verb === 'watch' ? watchErrors(match, options) : listErrors(match, options)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  if (options.continue !== '' && (options.resourceVersion ?? 0) > 0) {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  return { ...options, match: match === 'Exact' || match === 'NotOlderThan' ? match : '' }
}

/**
 * Returns the oldest revision that the client accepts, or undefined if it names none. Throws a 400 if it is not a
 * number.
 */
export function resourceVersionOf(query: Request['query']): number | undefined {
  const asked = query['resourceVersion'] ?? ''
  if (asked === '') return undefined
  if (!/^\d{1,15}$/.test(asked)) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(asked)}: ${why}`)
  }
  return Number(asked)
}

/** 504: the client has seen a revision that this server has not reached. */
export function tooLargeRevision(asked: number, now: number): ApiError {
  const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${now}`, {
    causes: [cause],
    retryAfterSeconds: 1,
  })
}

type Options = Pick<ListOptions, 'resourceVersion' | 'continue' | 'sendInitialEvents'>

function listErrors(match: string, options: Options): readonly FieldError[] {
  const errors: FieldError[] = []
  const field = 'resourceVersionMatch'
  if (match !== '') {
    if (options.resourceVersion === undefined) {
      errors.push(notAllowed(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (options.continue !== '') {
      errors.push(notAllowed(field, 'resourceVersionMatch is forbidden when continue is provided'))
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && options.resourceVersion === 0) {
      errors.push(notAllowed(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(notAllowed('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors(match: string, options: Options): readonly FieldError[] {
  const errors: FieldError[] = []
  const field = 'resourceVersionMatch'
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(notAllowed(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
      errors.push(notAllowed(field, why))
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(field, match, ['NotOlderThan']))
    if (options.continue !== '') {
      errors.push(notAllowed(field, 'resourceVersionMatch is forbidden when continue is provided'))
    }
  }
  return errors
}

function wholeNumber(query: Request['query'], name: string): number | undefined {
  const given = query[name]
  if (given === undefined || given === '') return undefined
  if (!/^-?\d{1,15}$/.test(given))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`)
  return Number(given)
}
