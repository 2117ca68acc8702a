// LIST: returns one page of a consistent list. The continue token holds the revision of the first page and the last key
// returned.
import { keyOf, type ResourceKey, type StoredObject } from '../../store/object.ts'
import { type Api, kindOf } from '../api.ts'
import { type ApiError, badRequest, expired } from '../errors.ts'
import type { Page, PageOptions } from '../registry.ts'
import { isObject } from '../values/json.ts'
import { parseSelectors } from './selectors.ts'

const tooOld = 'The resourceVersion for the provided list is too old.'
const tokenTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

export function page(api: Api, resource: ResourceKey, options: PageOptions): Page {
  const kind = kindOf(api, resource)
  const selects = parseSelectors(kind, options)
  const token = options.continue === undefined || options.continue === '' ? undefined : readToken(options.continue)
  const revision = token?.revision ?? options.exactly ?? api.store.revision()
  const range = { namespace: kind.namespaced ? options.namespace : undefined, after: token?.after }
  const found =
    revision === api.store.revision()
      ? (api.eventsBySubject(resource, options.fieldSelector, range) ?? api.store.list(resource, range))
      : api.store.listAt(resource, revision, range)
  if (found === undefined) throw token === undefined ? expired(tooOld) : tokenExpired(token.after)
  const items: StoredObject[] = []
  const limit = options.limit === undefined || options.limit <= 0 ? Number.POSITIVE_INFINITY : options.limit
  let at = 0
  for (; at < found.length && items.length < limit; at++) {
    const object = found[at]
    if (object !== undefined && (selects === undefined || selects(object))) items.push(object)
  }
  const last = found[at - 1]
  const more = at < found.length && last !== undefined
  return {
    items,
    revision,
    continue: more ? writeToken(revision, keyOf(last.metadata.namespace, last.metadata.name)) : undefined,
    remaining: more && selects === undefined ? found.length - at : undefined,
  }
}

type Token = { readonly revision: number | undefined; readonly after: string }

function writeToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url')
}

/** Reads a continue token. A token with revision -1 continues with the current list. */
function readToken(text: string): Token {
  const token = parseToken(text)
  if (!isObject(token) || typeof token['start'] !== 'string' || typeof token['rv'] !== 'number') {
    throw badRequest('continue key is not valid')
  }
  const { rv, start } = token
  return { revision: rv === -1 ? undefined : rv, after: start }
}

function parseToken(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

/**
 * Returns the 410 for an expired token. It carries a token that continues with the current list, without consistency.
 */
function tokenExpired(after: string): ApiError {
  return expired(tokenTooOld).withMetadata({ continue: writeToken(-1, after) })
}
