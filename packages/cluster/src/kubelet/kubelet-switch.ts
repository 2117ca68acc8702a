// Stops and starts the node's kubelet while its containers keep running. This simulates a lost node or a restarted kubelet.
import type { NodeApi } from '../api/node.ts'
import { type KubeletOptions, startKubelet } from './kubelet.ts'

export interface KubeletSwitch {
  readonly api: NodeApi
  /** Stops the kubelet: nothing happens to the node's pods any more, not even their deletion. The Node becomes unknown after 50 s. */
  stop(): void
  /** Starts the kubelet again if it is stopped. It takes over running containers, and ends the containers of pods that no longer exist. */
  start(): void
  /** Resolves when every stopped kubelet has ended all its work. */
  settled(): Promise<void>
}

/** Starts the kubelet and returns its switch. */
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
  const api: NodeApi = {
    logs: (...call) => kubelet.api.logs(...call),
    exec: (...call) => kubelet.api.exec(...call),
    usage: () => kubelet.api.usage(),
  }
  return { api, stop, start, settled }
}
