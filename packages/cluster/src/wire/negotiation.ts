// Negotiates the form of an answer: JSON, a Table, metadata alone, or aggregated discovery. Go clients ask for protobuf
// first; the server skips it.
import { ApiError } from '../api/errors.ts'

/** `metadata` and `metadata-list` are PartialObjectMetadata of one object and of a list. */
export type Accepted = 'json' | 'table' | 'metadata' | 'metadata-list' | 'discovery'

/**
 * Returns the first form in the Accept header (by q value, then by order) that the server can produce. A missing
 * header means JSON. Throws a 406 if there is none.
 */
export function negotiate(accept: string | undefined, can: readonly Accepted[] = forObjects): Accepted {
  if (accept === undefined || accept === '' || accept === 'application/json') return 'json'
  for (const clause of clausesOf(accept)) {
    const accepted = acceptedBy(clause)
    if (accepted && can.includes(accepted)) return accepted
  }
  throw notAcceptable('only the following media types are accepted: application/json')
}

const forObjects: readonly Accepted[] = ['json', 'table', 'metadata', 'metadata-list']

/** 406: the server cannot produce an accepted form. */
export function notAcceptable(message: string): ApiError {
  return new ApiError(406, 'NotAcceptable', message)
}

type Clause = { readonly type: string; readonly parameters: ReadonlyMap<string, string> }

function clausesOf(accept: string): readonly Clause[] {
  const clauses = accept.split(',').map((clause) => {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim())
    return { type: type.toLowerCase(), parameters: new Map(parameters.map(pairOf)) }
  })
  return clauses.sort((one, other) => quality(other) - quality(one))
}

function pairOf(parameter: string): [string, string] {
  const at = parameter.indexOf('=')
  return at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)]
}

function quality(clause: Clause): number {
  const value = Number(clause.parameters.get('q') ?? 1)
  return Number.isNaN(value) ? 0 : value
}

function acceptedBy({ type, parameters }: Clause): Accepted | undefined {
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return undefined
  const as = parameters.get('as')
  if (as === undefined) return 'json'
  const from = `${parameters.get('g')}/${parameters.get('v')}`
  if (from === 'meta.k8s.io/v1') return metaForms.get(as)
  if (as === 'APIGroupDiscoveryList' && from === 'apidiscovery.k8s.io/v2') return 'discovery'
  return undefined
}

const metaForms: ReadonlyMap<string, Accepted> = new Map([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata-list'],
])
