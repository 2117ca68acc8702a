// The worker of one pod. It does one thing after the other, like the real kubelet's worker, so a hung hook holds up the rest of the pod.
import type { Instant, Timer } from '@dayfly/kit/clock'
import { eventRecorder } from '../event-recorder.ts'
import type { ContainerId } from '../runtime/runtime.ts'
import type { KubeletContext, PodContext } from './context.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Pod } from './pod.ts'
import { type ContainerRecord, containerRecords } from './record.ts'
import { restoreRecords } from './restore.ts'
import { unenforcedSettings } from './unsupported.ts'

export interface PodWorker {
  readonly pod: Pod
  readonly records: readonly ContainerRecord[]
  /** Takes the pod's new state in the cluster. */
  update(pod: Pod): void
  /** Ends the pod's containers, because its object is gone from the cluster. */
  vanish(): void
  /** Stops the worker and leaves the containers running. */
  abandon(): void
  /** Resolves when nothing of the pod is left on the node, or after `abandon`. */
  readonly done: Promise<void>
}

/** The reason why what a worker began is aborted. An error would record a stack for each pod. */
const ended = 'the worker of the pod has ended'

/** @param left the pod's containers that an earlier kubelet started. */
export function startWorker(first: Pod, kubelet: KubeletContext, left: readonly ContainerId[] = []): PodWorker {
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
  const lifecycle = createLifecycle(context)
  const ignored = kubelet.runtime.isolates ? [] : unenforcedSettings(first)
  if (ignored.length > 0) {
    const message = `containers are plain processes of this host, which does not enforce ${ignored.join('; ')}`
    context.events.record('Warning', 'NotEnforced', message)
  }
  let hasVanished = false
  const run = async () => {
    await restoreRecords(context, left)
    while (!over.signal.aborted) {
      alarm.reset()
      if (hasVanished) {
        await lifecycle.leave()
        break
      }
      await lifecycle.step()
      await alarm.rung()
    }
    over.abort(ended)
    alarm.stop()
    lifecycle.stop()
  }
  return {
    get pod() {
      return pod
    },
    records: context.records,
    update: (next) => {
      const before = pod
      pod = next
      // A change of the status alone needs no step, because the kubelet wrote it itself. Other clients write readiness gates.
      const { generation, deletionTimestamp } = next.metadata
      const isNew = generation !== before.metadata.generation || deletionTimestamp !== before.metadata.deletionTimestamp
      if (isNew || gatesOf(next) !== gatesOf(before)) alarm.ring()
    },
    vanish: () => {
      hasVanished = true
      alarm.ring()
    },
    abandon: () => {
      over.abort(ended)
      alarm.ring()
    },
    done: run(),
  }
}

/** The conditions of the pod's readiness gates as text, to compare them. */
function gatesOf({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? []
  const own = status.conditions?.filter(({ type }) => gates.some(({ conditionType }) => conditionType === type))
  return gates.length === 0 ? '' : JSON.stringify(own?.map(({ type, status: value }) => [type, value]))
}

interface Alarm {
  ring(): void
  /** Rings at this instant, or at an earlier one that was set before. */
  set(at: Instant): void
  /** Clears a ring that has already happened. */
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
