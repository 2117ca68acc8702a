// What the API server asks of the kubelet on behalf of a client.

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
  /** The log of one container, as it grows when followed. Throws an `ApiError` (400, Kubernetes' words) while the container has not started. */
  logs(name: ContainerName, options: LogOptions, until: AbortSignal): AsyncIterable<string>
}
