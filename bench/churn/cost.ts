// The cost of lives: the CPU time of each process, the writes of the API server, the memory, and the size of etcd's file.
import { noBody } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import type { Place } from '../scale-up/place.ts'
import { countOf, quantile, readProcess, readRequests, round, writeVerbs } from '../scale-up/readings.ts'

/** The processes whose cost counts, by name. */
export type Processes = Readonly<Record<string, number>>

type Reading = {
  readonly at: number
  readonly writes: number
  readonly cpuSeconds: Readonly<Record<string, number>>
}

export type Window = {
  readonly lives: number
  readonly seconds: number
  /** Milliseconds of CPU time for each life, of all processes together and of each. */
  readonly cpuMs: number
  readonly cpuMsOf: Readonly<Record<string, number>>
  /** Writes for each life, without those of the scripted kubelet. */
  readonly writes: number
  /** Milliseconds from the queued job to its pod, and from the end of a pod to its deletion. */
  readonly startMs: { readonly p50: number; readonly p95: number }
  readonly removeMs: { readonly p50: number; readonly p95: number }
  readonly memoryMb: Readonly<Record<string, number>>
  readonly etcdMb: number
}

export type Meter = {
  started(ms: number): void
  removed(ms: number): void
  /** Ends a window after this many lives. */
  cut(lives: number): Promise<Window>
}

export async function openMeter(place: Place, processes: Processes): Promise<Meter> {
  const etcd = httpClient({ origin: place.plane.etcd })
  const starts: number[] = []
  const removals: number[] = []
  const read = async (): Promise<Reading> => ({
    at: performance.now(),
    writes: countOf(kubeletAside(await readRequests(place.transport)), writeVerbs),
    cpuSeconds: each(processes, (pid) => readProcess(pid).cpuSeconds),
  })
  let before = await read()
  return {
    started: (ms) => void starts.push(ms),
    removed: (ms) => void removals.push(ms),
    cut: async (lives) => {
      const after = await read()
      const cpuMsOf = each(processes, (_pid, name) =>
        round((((after.cpuSeconds[name] ?? 0) - (before.cpuSeconds[name] ?? 0)) * 1_000) / lives, 2),
      )
      const window = {
        lives,
        seconds: round((after.at - before.at) / 1_000, 1),
        cpuMs: round(
          Object.values(cpuMsOf).reduce((sum, ms) => sum + ms, 0),
          2,
        ),
        cpuMsOf,
        writes: round((after.writes - before.writes) / lives, 2),
        startMs: percentiles(starts),
        removeMs: percentiles(removals),
        memoryMb: each(processes, (pid) => Math.round(readProcess(pid).rssBytes / 1_048_576)),
        etcdMb: await etcdMb(etcd.transport),
      }
      before = after
      starts.length = 0
      removals.length = 0
      return window
    },
  }
}

function kubeletAside(requests: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...requests].filter(([key]) => key !== 'PATCH pods/status'))
}

function each(processes: Processes, read: (pid: number, name: string) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, read(pid, name)]))
}

function percentiles(values: readonly number[]): { readonly p50: number; readonly p95: number } {
  const sorted = values.toSorted((left, right) => left - right)
  return { p50: Math.round(quantile(sorted, 0.5)), p95: Math.round(quantile(sorted, 0.95)) }
}

async function etcdMb(transport: ReturnType<typeof httpClient>['transport']): Promise<number> {
  const request = { method: 'GET', path: '/metrics', query: {}, headers: {}, body: noBody, expect: 'whole' } as const
  const { body } = await transport(request)
  const text = body.kind === 'text' ? body.text : ''
  const bytes = Number(/^etcd_mvcc_db_total_size_in_bytes (\S+)/m.exec(text)?.[1] ?? Number.NaN)
  return round(bytes / 1_048_576, 1)
}
