// One pod's worker: it does one thing after the other, as the real kubelet's does, so what hangs in it holds up the rest of the pod.
import type { Instant, Timer } from '../../lib/clock.ts'
import { eventRecorder } from '../event-recorder.ts'
import type { ContainerId } from '../runtime/runtime.ts'
import type { KubeletContext, PodContext } from './context.ts'
import { createLife } from './life.ts'
import type { Pod } from './pod.ts'
import { type ContainerRecord, containerRecords } from './record.ts'
import { adoptContainer } from './start-container.ts'
import { unenforced } from './unenforced.ts'

export interface PodWorker {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  /** The pod has changed in the cluster. */
  update(pod: Pod): void
  /** The pod is gone from the cluster: what runs of it is ended. */
  vanish(): void
  /** Lets go without ending anything. */
  abandon(): void
  /** Resolves when nothing of the pod is left on the node, or after `abandon`. */
  readonly done: Promise<void>
}

/** @param survivors the pod's containers that an earlier kubelet has left running. */
export function startWorker(first: Pod, kubelet: KubeletContext, survivors: readonly ContainerId[] = []): PodWorker {
  const { clock, registry, node } = kubelet
  const over = new AbortController()
  const alarm = createAlarm(kubelet)
  let pod = first
  const context: PodContext = {
    ...kubelet,
    pod: () => pod,
    records: containerRecords(first),
    events: eventRecorder(first, { registry, clock, component: 'kubelet', host: node }),
    wake: alarm.ring,
    wakeAt: alarm.set,
    until: over.signal,
  }
  const life = createLife(context)
  const ignored = kubelet.runtime.isolates ? [] : unenforced(first)
  if (ignored.length > 0) {
    const message = `containers are plain processes of this host, which does not enforce ${ignored.join('; ')}`
    context.events.record('Warning', 'NotEnforced', message)
  }
  let hasVanished = false
  const run = async () => {
    for (const id of survivors) await adoptContainer(context, id)
    while (!over.signal.aborted) {
      alarm.reset()
      if (hasVanished) {
        await life.leave()
        break
      }
      await life.step()
      await alarm.rung()
    }
    over.abort()
    alarm.stop()
    life.stop()
  }
  return {
    get pod() {
      return pod
    },
    records: context.records,
    update: (next) => {
      const before = pod.metadata
      pod = next
      // A status written by ourselves is no news.
      const { generation, deletionTimestamp } = next.metadata
      if (generation !== before.generation || deletionTimestamp !== before.deletionTimestamp) alarm.ring()
    },
    vanish: () => {
      hasVanished = true
      alarm.ring()
    },
    abandon: () => {
      over.abort()
      alarm.ring()
    },
    done: run(),
  }
}

interface Alarm {
  ring(): void
  /** Rings at this instant, or at the earlier one it was set to. */
  set(at: Instant): void
  /** Forgets that it rang. */
  reset(): void
  rung(): Promise<void>
  stop(): void
}

function createAlarm({ clock }: KubeletContext): Alarm {
  let hasRung = false
  let wake = () => {}
  let timer: { readonly at: Instant; readonly timer: Timer } | undefined
  const clear = () => {
    timer?.timer.cancel()
    timer = undefined
  }
  const ring = () => {
    hasRung = true
    wake()
  }
  const set = (at: Instant) => {
    if (timer && timer.at <= at) return
    clear()
    const fire = () => {
      timer = undefined
      ring()
    }
    timer = { at, timer: clock.after(Math.max(0, at - clock.now()), fire) }
  }
  const rung = () => {
    if (hasRung) return Promise.resolve()
    return new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  const reset = () => {
    hasRung = false
    clear()
  }
  return { ring, set, reset, rung, stop: clear }
}
