// Reads from the machine and from the API server: requests by verb and resource, and the CPU time and memory of a process.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { noBody, type Transport } from '@dayfly/kit/http'

/** The number of requests by verb and resource, for example `POST pods`. */
export type Requests = ReadonlyMap<string, number>

const resources: ReadonlySet<string> = new Set(['pods', 'secrets', 'events', 'runnersets', 'leases'])
/** The fake kubelet makes these. No other client writes them. */
const ofKubelet = 'PATCH pods/status'

/** Reads the API server's own counters. Refused requests count, too. */
export async function readRequests(transport: Transport): Promise<Requests> {
  const request = { method: 'GET', path: '/metrics', query: {}, headers: {}, body: noBody, expect: 'whole' } as const
  const { body } = await transport(request)
  const requests = new Map<string, number>()
  for (const line of (body.kind === 'text' ? body.text : '').split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue
    const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? ''
    const resource = label('resource')
    if (!resources.has(resource)) continue
    const key = `${label('verb')} ${resource}${label('subresource') ? `/${label('subresource')}` : ''}`
    requests.set(key, (requests.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)))
  }
  return requests
}

/** Returns the requests between two readings, without those of the fake kubelet. */
export function requestsBetween(before: Requests, after: Requests): Record<string, number> {
  const between: Record<string, number> = {}
  for (const [key, count] of [...after].sort()) {
    const more = count - (before.get(key) ?? 0)
    if (more > 0 && key !== ofKubelet) between[key] = more
  }
  return between
}

export function countOf(requests: Readonly<Record<string, number>>, verbs: readonly string[]): number {
  return Object.entries(requests).reduce(
    (sum, [key, count]) => sum + (verbs.includes(key.split(' ')[0] ?? '') ? count : 0),
    0,
  )
}

export const writeVerbs = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION']
export const readVerbs = ['GET', 'LIST']

/** CPU seconds since the start of the process, and its memory now and at its highest, in bytes. */
export type ProcessReading = { readonly cpuSeconds: number; readonly rssBytes: number; readonly peakRssBytes: number }

/** The kernel counts CPU time in ticks of 10 ms. */
const ticksPerSecond = 100

export function readProcess(pid: number): ProcessReading {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    rssBytes: bytes('VmRSS'),
    peakRssBytes: bytes('VmHWM'),
  }
}

/** Returns a function for the busy share of all processors since this call, everything on the machine included. */
export function machineBusy(): () => number {
  const read = () => {
    const fields = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').trim().split(/\s+/).slice(1).map(Number)
    const total = fields.slice(0, 8).reduce((sum, ticks) => sum + ticks, 0)
    return { total, idle: (fields[3] ?? 0) + (fields[4] ?? 0) }
  }
  const before = read()
  return () => {
    const now = read()
    return round(1 - (now.idle - before.idle) / Math.max(1, now.total - before.total), 2)
  }
}

export function load(): number {
  return round(loadavg()[0] ?? 0, 1)
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** Returns the value below which this share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
