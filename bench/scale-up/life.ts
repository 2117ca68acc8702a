// The whole life of N runners under the production controller: queued jobs, pods, jobs that run, ends at once, nothing left.
import type { Transport } from '@dayfly/kit/http'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { BenchForge } from './forge.ts'
import { markEnded, markRunning } from './kubelet.ts'
import type { Observer } from './observer.ts'
import type { Program } from './program.ts'
import {
  countOf,
  machineBusy,
  quantile,
  readRequests,
  readVerbs,
  requestsBetween,
  round,
  writeVerbs,
} from './readings.ts'
import { untilStatus } from './set.ts'

export type Stage = {
  readonly admin: Kubernetes
  readonly transport: Transport
  readonly forge: BenchForge
  readonly observer: Observer
  readonly controller: Program
  readonly set: { readonly namespace: string; readonly name: string }
}

export type Percentiles = { readonly p50: number; readonly p95: number; readonly p99: number }

export type Life = {
  /** Seconds from the queued jobs to 50 %, 95 % and all of the pods. */
  readonly t50: number
  readonly t95: number
  readonly t100: number
  readonly writesPerRunner: number
  readonly readsPerRunner: number
  /** By verb and resource, for example `POST pods`. */
  readonly requests: Readonly<Record<string, number>>
  readonly busyUp: number
  /** Milliseconds from the end of a runner to its deleted pod. All runners end at the same moment. */
  readonly teardownMs: Percentiles & { readonly all: number }
  /** How long the controller was suspended. After 10 s its Lease ends, and the times of the clean-up include a new election. */
  readonly suspendedSeconds: number
}

/** Number of pods that the fake kubelet marks at once. */
export const marksAtOnce = 32

export async function runLife(stage: Stage, count: number): Promise<Life> {
  const { admin, transport, forge, observer, controller, set } = stage
  observer.forget()
  const before = await readRequests(transport)
  const busy = machineBusy()
  const queuedAt = performance.now()
  await forge.queue(set.name, count)
  await observer.reached('seen', count)
  const busyUp = busy()
  const up = timesOf(observer.seen, queuedAt)
  const names = [...observer.seen.keys()]
  let reads = await untilStatus(admin, set, ({ pending }) => pending === count)
  await eachOf(names, marksAtOnce, async (name) => {
    await markRunning(admin, set.namespace, name)
    await forge.startJob(name)
  })
  reads += await untilStatus(admin, set, ({ busy }) => busy === count)
  await eachOf(names, marksAtOnce, (name) => forge.finishJob(name))
  // The controller is suspended while the runners end, so that all ends are one moment for it.
  const suspendedAt = performance.now()
  controller.signal('SIGSTOP')
  await eachOf(names, marksAtOnce, (name) => markEnded(admin, set.namespace, name))
  const endedAt = performance.now()
  controller.signal('SIGCONT')
  await observer.reached('gone', count)
  const down = timesOf(observer.gone, endedAt)
  const idle = ({ busy, pending }: { busy?: number | null; pending?: number | null }) => busy === 0 && pending === 0
  reads += await untilStatus(admin, set, idle)
  const left = await forge.registrations()
  if (left > 0) throw new Error(`${left} registrations are left`)
  const requests = requestsBetween(before, await readRequests(transport))
  const reading = requests['GET runnersets'] ?? 0
  const own = { ...requests, 'GET runnersets': Math.max(0, reading - reads) }
  return {
    ...up,
    writesPerRunner: round(countOf(own, writeVerbs) / count, 2),
    readsPerRunner: round(countOf(own, readVerbs) / count, 2),
    requests: own,
    busyUp,
    teardownMs: percentilesOf(down.sorted),
    suspendedSeconds: round((endedAt - suspendedAt) / 1000, 1),
  }
}

export function timesOf(events: ReadonlyMap<string, number>, from: number) {
  const sorted = [...events.values()].map((at) => at - from).sort((left, right) => left - right)
  const seconds = (share: number) => round(quantile(sorted, share) / 1000, 3)
  return { t50: seconds(0.5), t95: seconds(0.95), t100: seconds(1), sorted }
}

function percentilesOf(sorted: readonly number[]): Life['teardownMs'] {
  const at = (share: number) => Math.round(quantile(sorted, share))
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), all: at(1) }
}

/** Runs the work for each item, `width` at once. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
