// The requests that the API server forwards to the kubelet.
import type { Instant } from '@dayfly/kit/clock'
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

/** The usage of one pod on the node, over a window that ends at `at`. */
export type PodUsage = {
  /** The UID. */
  readonly pod: string
  readonly at: Instant
  readonly windowMs: number
  readonly containers: readonly {
    readonly name: string
    /** In cores. */
    readonly cpu: number
    readonly memoryBytes: number
  }[]
}

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
  /** Resolves with the usage of the pods that run. A pod is absent while its usage is not known. */
  usage(): Promise<readonly PodUsage[]>
}
