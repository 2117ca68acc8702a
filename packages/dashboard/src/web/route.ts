// The addresses of the page. Filters are part of the address, so that a link shows the same.
import type { LifePhase } from '../model/life.ts'
import type { WindowName } from '../model/trends.ts'

export type Zoom = '5min' | '15min' | '1h' | '6h'
export const zoomMs: Readonly<Record<Zoom, number>> = {
  '5min': 300_000,
  '15min': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
}
export const phases: readonly LifePhase[] = ['starting', 'idle', 'busy', 'ending', 'gone']
export const windows: readonly WindowName[] = ['1h', '24h', '7d']

/** An empty text is no filter. */
export type Filter = {
  readonly set: string
  readonly phase: LifePhase | ''
  readonly repository: string
  readonly text: string
  readonly zoom: Zoom
}

export type Route =
  | { readonly page: 'now'; readonly filter: Filter }
  | { readonly page: 'set' | 'runner'; readonly id: string }
  | { readonly page: 'job'; readonly address: string; readonly id: string }
  | { readonly page: 'find'; readonly query: string }
  | { readonly page: 'trends' | 'costs'; readonly window: WindowName }
  | { readonly page: 'failures' | 'health' }
  | { readonly page: 'unknown'; readonly address: string }

export const noFilter: Filter = { set: '', phase: '', repository: '', text: '', zoom: '15min' }

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const [, page = '', ...rest] = path.split('/')
  const query = new URLSearchParams(search)
  const id = rest.map(decoded).join('/')
  switch (page) {
    case '':
      return { page: 'now', filter: filterOf(query) }
    case 'set':
    case 'runner':
      return id === '' ? { page: 'unknown', address: hash } : { page, id }
    case 'job':
      return { page, address: `#${path}`, id: decoded(rest.at(-1) ?? '') }
    case 'find':
      return { page, query: query.get('q') ?? '' }
    case 'trends':
    case 'costs':
      return { page, window: oneOf(windows, query.get('window')) ?? '1h' }
    case 'failures':
    case 'health':
      return { page }
    default:
      return { page: 'unknown', address: hash }
  }
}

export function nowAddress(filter: Filter): string {
  const query = new URLSearchParams()
  for (const key of ['set', 'phase', 'repository', 'text', 'zoom'] as const) {
    if (filter[key] !== noFilter[key]) query.set(key, filter[key])
  }
  const text = query.toString()
  return text === '' ? '#/' : `#/?${text}`
}

export function setAddress(id: string): string {
  return `#/set/${encodeURIComponent(id)}`
}

export function runnerAddress(id: string): string {
  return `#/runner/${encodeURIComponent(id)}`
}

export function findAddress(query: string): string {
  return `#/find?${new URLSearchParams({ q: query })}`
}

export function windowAddress(page: 'trends' | 'costs', window: WindowName): string {
  return `#/${page}?window=${window}`
}

function filterOf(query: URLSearchParams): Filter {
  return {
    set: query.get('set') ?? '',
    phase: oneOf(phases, query.get('phase')) ?? '',
    repository: query.get('repository') ?? '',
    text: query.get('text') ?? '',
    zoom: oneOf(Object.keys(zoomMs) as Zoom[], query.get('zoom')) ?? '15min',
  }
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null): Value | undefined {
  return values.find((value) => value === text)
}

/** A link that was cut in the middle of a percent sign shows as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
