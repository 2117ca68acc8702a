// Many runners: 10,000 live pods of one set that a new leader finds, and 200 sets with 50 runners each.
import type { KubeObject } from '@dayfly/kubernetes/types'
import { annotations, buildPod } from '@dayfly/runner-set/core/pod'
import type { Programs } from './compare.ts'
import { startController } from './controller.ts'
import { startForge } from './forge.ts'
import { markEnded, markRunning } from './kubelet.ts'
import { eachOf, timesOf } from './life.ts'
import { observe, pods } from './observer.ts'
import { benchNamespace, type Place } from './place.ts'
import { type ProcessReading, readProcess, round } from './readings.ts'
import { createCredential, createSet, deleteSet, isReady, parsedSet, readUid, untilStatus } from './set.ts'

export type LivePods = ProcessReading & {
  readonly pods: number
  /** Seconds from the start of the process until its status counts every pod. */
  readonly knownAfter: number
}

const connections = 32

/** Creates the pods first, so that the controller reads them in its first list. */
export async function measureLivePods(place: Place, programs: Programs, count: number): Promise<LivePods> {
  const { admin, kubeconfig } = place
  const forge = await startForge(programs.forge, 0)
  const at = { namespace: benchNamespace, name: 'live' }
  try {
    await createCredential(admin, benchNamespace, forge.token)
    const options = { ...at, url: `${forge.url}/acme`, max: count }
    await createSet(admin, options)
    const set = { ...parsedSet(options), uid: await readUid(admin, at) }
    const names = Array.from({ length: count }, (_, index) => `live-${String(index).padStart(6, '0')}`)
    await eachOf(names, connections, async (name) => {
      const pod = buildPod(set, name, '1')
      const metadata = {
        ...pod.metadata,
        annotations: { ...pod.metadata.annotations, [annotations.registrationId]: name },
      }
      await admin.create(pods, { ...pod, metadata } as unknown as KubeObject, { metadataOnly: true })
      await markRunning(admin, benchNamespace, name)
    })
    await forge.queue(at.name, count)
    const startedAt = performance.now()
    const controller = startController(programs.dayfly, kubeconfig, undefined)
    try {
      await untilStatus(admin, at, ({ idle, busy }) => (idle ?? 0) + (busy ?? 0) === count)
      const knownAfter = round((performance.now() - startedAt) / 1000, 2)
      return { pods: count, knownAfter, ...readProcess(controller.pid) }
    } finally {
      await controller.end()
    }
  } finally {
    await deleteSet(admin, at)
    await forge.close()
  }
}

export type ManySets = ProcessReading & {
  readonly sets: number
  readonly runners: number
  readonly t50: number
  readonly t95: number
  readonly t100: number
  /** Seconds from the first end to the last deleted pod. The fake kubelet ends the pods as fast as it can. */
  readonly removeSeconds: number
}

/** GitHub allows 1,500 registrations of one organization in five minutes, so that the sets need several. */
const setsOfOneOrganization = 20

export async function measureManySets(
  place: Place,
  programs: Programs,
  shape: { readonly sets: number; readonly runnersOfEach: number; readonly latencyMs: number },
): Promise<ManySets> {
  const { admin, kubeconfig, transport } = place
  const forge = await startForge(programs.forge, shape.latencyMs)
  const observer = await observe(transport, benchNamespace)
  const controller = startController(programs.dayfly, kubeconfig, undefined)
  const sets = Array.from({ length: shape.sets }, (_, index) => ({ namespace: benchNamespace, name: `set-${index}` }))
  const runners = shape.sets * shape.runnersOfEach
  try {
    await createCredential(admin, benchNamespace, forge.token)
    for (const [index, at] of sets.entries()) {
      const url = `${forge.url}/org-${Math.floor(index / setsOfOneOrganization)}`
      await createSet(admin, { ...at, url, max: shape.runnersOfEach })
    }
    for (const at of sets) await untilStatus(admin, at, isReady)
    const started: Promise<unknown>[] = []
    const stop = observer.onPod((name) => {
      started.push(markRunning(admin, benchNamespace, name).then(() => forge.startJob(name)))
    })
    const queuedAt = performance.now()
    for (const { name } of sets) await forge.queue(name, shape.runnersOfEach)
    await observer.reached('seen', runners)
    stop()
    const { t50, t95, t100 } = timesOf(observer.seen, queuedAt)
    await Promise.all(started)
    const reading = readProcess(controller.pid)
    const endedAt = performance.now()
    await eachOf([...observer.seen.keys()], connections, async (name) => {
      await forge.finishJob(name)
      await markEnded(admin, benchNamespace, name)
    })
    await observer.reached('gone', runners)
    const removeSeconds = timesOf(observer.gone, endedAt).t100
    const { cpuSeconds } = readProcess(controller.pid)
    return { sets: shape.sets, runners, t50, t95, t100, removeSeconds, ...reading, cpuSeconds }
  } finally {
    for (const at of sets) await deleteSet(admin, at)
    await controller.end()
    await observer.close()
    await forge.close()
  }
}
