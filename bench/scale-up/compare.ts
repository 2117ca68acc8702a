// One latency: the plain loop and the controller in turns, each in a new process, with the same API server and the same forge.
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { LoopOptions } from '../scale-up-loop.ts'
import { startController } from './controller.ts'
import { type BenchForge, startForge } from './forge.ts'
import { markEnded, markRunning } from './kubelet.ts'
import { eachOf, type Life, marksAtOnce, runLife, type Stage } from './life.ts'
import { type Observer, observe } from './observer.ts'
import { benchNamespace, loopNamespace, type Place } from './place.ts'
import { startProgram } from './program.ts'
import { load, quantile, readProcess, round } from './readings.ts'
import { createCredential, createSet, deleteSet, isReady, parsedSet, untilStatus } from './set.ts'

/** The paths of the bundled programs. */
export type Programs = { readonly dayfly: string; readonly loop: string; readonly forge: string }

export type Shape = {
  readonly latencyMs: number
  readonly pods: number
  readonly repetitions: number
  /** Writes a CPU profile of each controller into this folder. */
  readonly profile?: string | undefined
}

type LoopTimes = {
  readonly t50: number
  readonly t95: number
  readonly t100: number
  readonly removeSeconds: number
  readonly cpuSeconds: number
}

type DayflyTimes = Pick<Life, 't50' | 't95' | 't100' | 'writesPerRunner' | 'readsPerRunner'> & {
  /** The highest resident memory, and the CPU time of the whole process, after the whole life of all runners. */
  readonly rssBytes: number
  readonly cpuSeconds: number
  readonly removeSeconds: number
  readonly suspendedSeconds: number
  /** The same again in the same process, for runners of another organization: most code is compiled by then. */
  readonly warmT100: number
  readonly warmRemoveSeconds: number
  readonly warmCpuSeconds: number
}

export type Comparison = {
  readonly latencyMs: number
  readonly pods: number
  readonly dayfly: DayflyTimes
  readonly limit: LoopTimes
  /** The time that the forge's latency alone takes at the number of calls at once that both make. */
  readonly forgeBoundSeconds: number
  readonly ratio: { readonly t100: number; readonly remove: number }
  /** 100 runners that end at once. */
  readonly teardownMs: Life['teardownMs']
  /** All runners that end at once. */
  readonly teardownAllMs: Life['teardownMs']
  readonly requests: Life['requests']
  readonly busy: number
  readonly load: number
  /** In order of time. */
  readonly each: readonly { readonly limit: LoopTimes; readonly dayfly: DayflyTimes }[]
}

/** Number of runners, forge calls and API calls that the plain loop has under way at once. More makes it no faster. */
const widths = { width: 128, forgeWidth: 64, apiWidth: 32 }
const fewAtOnce = 100
const setName = 'linux'
/** GitHub allows 1,500 registrations of one organization in five minutes, so that the second wave needs another one. */
const warmSetName = 'warm'

export async function compare(place: Place, programs: Programs, shape: Shape): Promise<Comparison> {
  const each: { limit: LoopTimes; dayfly: DayflyTimes; all: Life; few: Life }[] = []
  for (let turn = 0; turn < shape.repetitions; turn++) {
    const forge = await startForge(programs.forge, shape.latencyMs)
    try {
      const limit = await measureLoop(place, programs.loop, forge, shape.pods)
      each.push({ limit, ...(await measureDayfly(place, programs.dayfly, forge, shape)) })
    } finally {
      await forge.close()
    }
  }
  const dayfly = medians(each.map(({ dayfly }) => dayfly))
  const limit = medians(each.map(({ limit }) => limit))
  return {
    latencyMs: shape.latencyMs,
    pods: shape.pods,
    dayfly,
    limit,
    forgeBoundSeconds: round((shape.pods / widths.forgeWidth) * (shape.latencyMs / 1000), 2),
    ratio: {
      t100: round(dayfly.t100 / limit.t100, 2),
      remove: round(dayfly.removeSeconds / limit.removeSeconds, 2),
    },
    teardownMs: medians(each.map(({ few }) => few.teardownMs)),
    teardownAllMs: medians(each.map(({ all }) => all.teardownMs)),
    requests: each[0]?.all.requests ?? {},
    busy: Math.max(...each.map(({ all }) => all.busyUp)),
    load: load(),
    each: each.map(({ limit, dayfly }) => ({ limit, dayfly })),
  }
}

async function measureLoop(place: Place, program: string, forge: BenchForge, count: number): Promise<LoopTimes> {
  const observer = await observe(place.transport, loopNamespace)
  const { server, tls, token } = await loadKubeconfig(place.kubeconfig)
  const set = parsedSet({ namespace: loopNamespace, name: 'loop', url: `${forge.url}/loop`, max: count })
  const options: LoopOptions = {
    server,
    ca: tls.ca ?? '',
    token: token.kind === 'fixed' ? token.token : '',
    forge,
    set,
    count,
    ...widths,
  }
  const loop = startProgram([program, JSON.stringify(options)])
  try {
    await loop.next()
    const startedAt = performance.now()
    loop.say('create')
    await observer.reached('seen', count)
    const times = [...observer.seen.values()].map((at) => at - startedAt).sort((left, right) => left - right)
    await loop.next()
    // The pods of the controller have run and ended, too: their objects are larger than those of new pods.
    for (const mark of [markRunning, markEnded]) {
      await eachOf([...observer.seen.keys()], marksAtOnce, (name) => mark(place.admin, loopNamespace, name))
    }
    const removedFrom = performance.now()
    loop.say('remove')
    await observer.reached('gone', count)
    await loop.next()
    const last = Math.max(...observer.gone.values())
    const seconds = (ms: number) => round(ms / 1000, 3)
    return {
      t50: seconds(quantile(times, 0.5)),
      t95: seconds(quantile(times, 0.95)),
      t100: seconds(quantile(times, 1)),
      removeSeconds: seconds(last - removedFrom),
      cpuSeconds: readProcess(loop.pid).cpuSeconds,
    }
  } finally {
    await loop.end()
    await observer.close()
  }
}

async function measureDayfly(place: Place, program: string, forge: BenchForge, shape: Shape) {
  const { admin, transport } = place
  const at = { namespace: benchNamespace, name: setName }
  const warmAt = { namespace: benchNamespace, name: warmSetName }
  const observer: Observer = await observe(transport, benchNamespace)
  await createCredential(admin, benchNamespace, forge.token)
  await createSet(admin, { ...at, url: `${forge.url}/acme`, max: shape.pods })
  await createSet(admin, { ...warmAt, url: `${forge.url}/warm`, max: shape.pods })
  const controller = startController(program, place.kubeconfig, shape.profile)
  const stage = { admin, transport, forge, observer, controller, set: at }
  try {
    for (const set of [at, warmAt]) await untilStatus(admin, set, isReady)
    const all = await runLife(stage, shape.pods)
    const { cpuSeconds, peakRssBytes } = readProcess(controller.pid)
    const few = await runLife(stage, Math.min(fewAtOnce, shape.pods))
    const warm = await measureWarm({ ...stage, set: warmAt }, shape.pods)
    const { t50, t95, t100, writesPerRunner, readsPerRunner, suspendedSeconds } = all
    const own = { rssBytes: peakRssBytes, cpuSeconds, removeSeconds: all.teardownMs.all / 1000, suspendedSeconds }
    const times = { t50, t95, t100, writesPerRunner, readsPerRunner, ...own, ...warm }
    return { all, few, dayfly: times }
  } finally {
    for (const set of [at, warmAt]) await deleteSet(admin, set)
    await controller.end()
    await observer.close()
  }
}

async function measureWarm(stage: Stage, count: number) {
  const { cpuSeconds } = readProcess(stage.controller.pid)
  const { t100, teardownMs } = await runLife(stage, count)
  const warmCpuSeconds = round(readProcess(stage.controller.pid).cpuSeconds - cpuSeconds, 2)
  return { warmT100: t100, warmRemoveSeconds: teardownMs.all / 1000, warmCpuSeconds }
}

/** Returns the median of each field. */
function medians<T extends Readonly<Record<string, number>>>(rows: readonly T[]): T {
  const [first] = rows
  if (!first) throw new Error('there is no repetition')
  const median = (field: string) =>
    quantile(
      rows.map((row) => row[field] ?? Number.NaN).sort((a, b) => a - b),
      0.5,
    )
  return Object.fromEntries(Object.keys(first).map((field) => [field, median(field)])) as T
}
