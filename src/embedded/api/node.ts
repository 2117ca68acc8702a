// What the API server asks of the kubelet on behalf of a client.

export type LogOptions = {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly sinceSeconds: number | undefined
  readonly limitBytes: number | undefined
}

export interface NodeApi {
  /** The log of one container, as it grows when followed. Throws an `ApiError` (400, Kubernetes' words) while the container has not started. */
  logs(
    namespace: string,
    pod: string,
    container: string,
    options: LogOptions,
    until: AbortSignal,
  ): AsyncIterable<string>
}
