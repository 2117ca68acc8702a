// Many lives of runners under the production controller, in a closed loop: each deleted pod queues the next job.
import type { Resource } from '@dayfly/kubernetes/types'
import type { SetStatus } from '@dayfly/runner-set/model/status'
import type { Programs } from '../scale-up/compare.ts'
import { startController } from '../scale-up/controller.ts'
import { startForge } from '../scale-up/forge.ts'
import { markEnded, markRunning } from '../scale-up/kubelet.ts'
import { pods } from '../scale-up/observer.ts'
import { benchNamespace, type Place } from '../scale-up/place.ts'
import { createCredential, createSet, isReady, untilStatus } from '../scale-up/set.ts'
import { openMeter, type Window } from './cost.ts'
import { watchPods } from './pods.ts'

export type LivesShape = {
  readonly lives: number
  /** The number of jobs that are queued or run at any time. */
  readonly atOnce: number
  readonly jobMs: number
  readonly latencyMs: number
  /** The number of lives in each window. */
  readonly window: number
}

export type Lives = {
  readonly lives: number
  readonly seconds: number
  readonly windows: readonly Window[]
  /** The CPU time of a life in the last window, as a share of that in the second one. */
  readonly growth: number
  /** The highest number of ended pods at any time. */
  readonly endedPodsMost: number
  readonly left: { readonly pods: number; readonly secrets: number; readonly registrations: number }
}

/** GitHub allows 1,500 registrations of one organization in five minutes, so each organization gets fewer. */
const livesOfOneOrganization = 1_000

const secrets: Resource = { ...pods, plural: 'secrets', kind: 'Secret' }

export async function runLives(
  place: Place,
  programs: Pick<Programs, 'dayfly' | 'forge'>,
  shape: LivesShape,
): Promise<Lives> {
  const { admin, kubeconfig, plane } = place
  const forge = await startForge(programs.forge, shape.latencyMs)
  const controller = startController(programs.dayfly, kubeconfig, undefined)
  const count = Math.ceil(shape.lives / livesOfOneOrganization)
  const sets = Array.from({ length: count }, (_, index) => ({ namespace: benchNamespace, name: `churn-${index}` }))
  try {
    await createCredential(admin, benchNamespace, forge.token)
    for (const [index, at] of sets.entries()) {
      await createSet(admin, { ...at, url: `${forge.url}/org-${index}`, max: shape.atOnce })
    }
    for (const at of sets) await untilStatus(admin, at, isReady)
    const processes = { controller: controller.pid, apiserver: plane.pid('apiserver'), etcd: plane.pid('etcd') }
    const meter = await openMeter(place, processes)
    const startedAt = performance.now()
    const { windows, endedPodsMost } = await churn({ place, forge, meter, sets: sets.map(({ name }) => name), shape })
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    const [, second] = windows
    const growth = Number(((windows.at(-1)?.cpuMs ?? Number.NaN) / (second?.cpuMs ?? Number.NaN)).toFixed(2))
    // A runner that was too many is removed when it has been idle for a while.
    for (const at of sets) await untilStatus(admin, at, isEmpty)
    const held = await admin.list(secrets, { namespace: benchNamespace })
    const left = {
      pods: (await admin.list(pods, { namespace: benchNamespace })).items.length,
      secrets: held.items.filter(({ metadata }) => metadata.name !== 'github').length,
      registrations: await forge.registrations(),
    }
    return { lives: shape.lives, seconds, windows, growth, endedPodsMost, left }
  } finally {
    await controller.end()
    await forge.close()
  }
}

function isEmpty({ idle, busy, pending }: Partial<SetStatus>): boolean {
  return idle === 0 && busy === 0 && pending === 0
}

type Churn = {
  readonly place: Place
  readonly forge: Awaited<ReturnType<typeof startForge>>
  readonly meter: Awaited<ReturnType<typeof openMeter>>
  readonly sets: readonly string[]
  readonly shape: LivesShape
}

async function churn({ place, forge, meter, sets, shape }: Churn) {
  const { admin, transport } = place
  const { lives, atOnce, jobMs, window } = shape
  const windows: Window[] = []
  /** The times at which jobs were queued and have no pod yet, by set. */
  const waiting = new Map(sets.map((set) => [set, [] as number[]]))
  const endedAt = new Map<string, number>()
  const work = new Set<Promise<unknown>>()
  let queued = 0
  let gone = 0
  let over: (error?: unknown) => void = () => {}
  const done = new Promise<void>((resolve, reject) => {
    over = (error) => (error === undefined ? resolve() : reject(error))
  })
  const begin = (task: Promise<unknown>) => {
    const kept = task.catch(over).finally(() => work.delete(kept))
    work.add(kept)
  }
  const queue = async () => {
    const set = sets[queued++ % sets.length] ?? ''
    waiting.get(set)?.push(performance.now())
    await forge.queue(set, 1)
  }
  const live = async (name: string) => {
    await markRunning(admin, benchNamespace, name)
    if ((await forge.startJob(name)) === 'removed') return
    await new Promise((resolve) => setTimeout(resolve, jobMs))
    await forge.finishJob(name)
    endedAt.set(name, performance.now())
    await markEnded(admin, benchNamespace, name)
  }
  const watch = await watchPods(transport, benchNamespace, {
    onSeen: ({ name, of }) => {
      const at = waiting.get(of)?.shift()
      if (at !== undefined) meter.started(performance.now() - at)
      begin(live(name))
    },
    onGone: ({ name }) => {
      const at = endedAt.get(name)
      // A runner that was too many had no job.
      if (at === undefined) return
      meter.removed(performance.now() - at)
      endedAt.delete(name)
      if (queued < lives) begin(queue())
      if (++gone % window === 0) {
        begin(
          meter.cut(window).then((cut) => {
            windows.push(cut)
            process.stderr.write(`${windows.length * window} lives: ${cut.cpuMs} ms of CPU time each\n`)
          }),
        )
      }
      if (gone === lives) over()
    },
  })
  try {
    for (let index = 0; index < Math.min(atOnce, lives); index++) await queue()
    await done
    await Promise.all(work)
    return { windows, endedPodsMost: watch.ended().most }
  } finally {
    await watch.close()
  }
}
