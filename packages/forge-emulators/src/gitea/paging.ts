// Pages of a list: the limit is cut without an error, and links repeat the limit of the request.
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'

export type Page<Entry> = {
  readonly entries: readonly Entry[]
  readonly total: number
  /** The headers `Link` and `X-Total-Count`, for the lists that have them. */
  readonly headers: Readonly<Record<string, string>>
}

export function pageOf<Entry>({ knobs }: Emulation, call: Call, all: readonly Entry[]): Page<Entry> {
  const { query } = call.request
  const asked = whole(query['limit'])
  const size = Math.min(asked > 0 ? asked : knobs.pageDefault, knobs.pageMax)
  const page = Math.max(1, whole(query['page']))
  const last = Math.max(1, Math.ceil(all.length / size))
  // The links of a page after the end are those of the last page.
  const shown = Math.min(page, last)
  const links: string[] = []
  const link = (to: number, relation: string) => links.push(`<${addressOf(call, to)}>; rel="${relation}"`)
  if (shown < last) {
    link(shown + 1, 'next')
    link(last, 'last')
  }
  if (shown > 1) {
    link(1, 'first')
    link(shown - 1, 'prev')
  }
  const headers = {
    'access-control-expose-headers': links.length > 0 ? 'Link, X-Total-Count' : 'X-Total-Count',
    'x-total-count': String(all.length),
    ...(links.length > 0 ? { link: links.join(',') } : {}),
  }
  return { entries: all.slice((page - 1) * size, page * size), total: all.length, headers }
}

/** The parameters of a link are sorted by name. */
function addressOf({ request, origin }: Call, page: number): string {
  const parameters = parametersOf(request)
  parameters.set('page', String(page))
  parameters.sort()
  return `${origin}${request.path}?${parameters}`
}

/** Returns all parameters of a request, also those that it repeats. */
export function parametersOf({ query, repeated = {} }: Call['request']): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of repeated[name] ?? [value]) parameters.append(name, each)
  }
  return parameters
}

/** Returns 0 for a text that is not a whole number, as the server does. */
function whole(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0
}
