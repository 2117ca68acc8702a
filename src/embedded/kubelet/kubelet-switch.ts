// The node's kubelet, which can be stopped and started again while its containers run on: a node that is lost, a kubelet that is restarted.
import type { NodeApi } from '../api/node.ts'
import { type KubeletOptions, startKubelet } from './kubelet.ts'

export interface KubeletSwitch {
  readonly api: NodeApi
  /** Nothing happens to the node's pods any more, their deletion neither. The Node object says nothing of it by itself. */
  stop(): void
  /** Goes on with what runs, and ends what runs of pods that are gone. Nothing happens while it is on. */
  start(): void
  /** Resolves when none that was stopped does anything any more. */
  settled(): Promise<void>
}

/** Starts it. */
export function createKubeletSwitch(options: KubeletOptions): KubeletSwitch {
  const settling: Promise<void>[] = []
  let kubelet = startKubelet(options)
  let isOn = true
  const stop = () => {
    if (isOn) settling.push(kubelet.stop().settled)
    isOn = false
  }
  const start = () => {
    if (!isOn) kubelet = startKubelet(options)
    isOn = true
  }
  const settled = () => Promise.all(settling).then(() => undefined)
  return { api: { logs: (...call) => kubelet.api.logs(...call) }, stop, start, settled }
}
