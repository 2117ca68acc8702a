// The requests that the API server forwards to the kubelet.
import type { CommandOrder, CommandSession } from '@dayfly/kit/command-session'

export type LogOptions = {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly sinceSeconds: number | undefined
  readonly limitBytes: number | undefined
}

export type ContainerName = { readonly namespace: string; readonly pod: string; readonly container: string }

export interface NodeApi {
  /**
   * Reads the log of one container; follows it if asked. Throws an `ApiError` (400, Kubernetes' message) until the
   * container has started.
   */
  logs(name: ContainerName, options: LogOptions, until: AbortSignal): AsyncIterable<string>
  /**
   * Starts a command in a container. It is killed when `until` is aborted, and with the container. If it does not start,
   * the session ends with Kubernetes' message.
   */
  exec(name: ContainerName, order: CommandOrder, until: AbortSignal): CommandSession
}
