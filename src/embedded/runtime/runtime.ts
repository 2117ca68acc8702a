// The port between the kubelet and what runs containers: five verbs on a container, and three for what stands around it.
import type { Instant } from '../../lib/clock.ts'

/** One try of one container of one pod; a restart is the next attempt. */
export type ContainerId = { readonly pod: string; readonly name: string; readonly attempt: number }

/** What a volume holds when it is made: files by path, or nothing yet. The containers of a pod that mount one name share it. */
export type Volume = { readonly name: string; readonly files: readonly VolumeFile[] }

export type VolumeFile = { readonly path: string; readonly data: Uint8Array; readonly mode: number }

export type Mount = { readonly mountPath: string; readonly subPath: string | undefined; readonly volume: Volume }

export type ContainerConfig = {
  readonly id: ContainerId
  readonly image: string
  /** Empty: the image's entrypoint. */
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
  readonly mounts: readonly Mount[]
}

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never'

/** Whether a container of this image can be made here; a refusal carries Kubernetes' reason and message. */
export type ImageVerdict =
  | { readonly is: 'present'; readonly imageId: string }
  | {
      readonly is: 'refused'
      readonly reason: 'InvalidImageName' | 'ErrImageNeverPull' | 'ErrImagePull'
      readonly message: string
    }

/** How a container ended. The code is 128 + n for signal n. */
export type ContainerEnd = {
  readonly exitCode: number
  readonly finishedAt: Instant
  /** Absent: `Completed` or `Error`, by the code. */
  readonly reason?: 'OOMKilled' | 'ContainerStatusUnknown'
  readonly message?: string
}

export type ContainerStart =
  | { readonly is: 'started'; readonly startedAt: Instant; readonly ended: Promise<ContainerEnd> }
  /** The command cannot be run; Kubernetes reports it as `StartError`, exit code 128. */
  | { readonly is: 'failed'; readonly message: string }

export type ExecResult =
  | { readonly is: 'ended'; readonly exitCode: number; readonly output: string }
  | { readonly is: 'timed-out' }
  | { readonly is: 'failed'; readonly message: string }

/** What probes and hooks ask of a container over the network. Without a host it is the container's own. */
export type NetworkTarget =
  | { readonly is: 'tcp'; readonly host: string | undefined; readonly port: number }
  | {
      readonly is: 'http'
      readonly scheme: 'http' | 'https'
      readonly host: string | undefined
      readonly port: number
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
    }

export type NetworkResult =
  /** The connection stands; HTTP has answered with this status. */
  | { readonly is: 'reached'; readonly status: number | undefined }
  | { readonly is: 'timed-out' }
  /** For example `connection refused`. */
  | { readonly is: 'failed'; readonly message: string }

export type RuntimeLogOptions = {
  readonly follow: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly since: Instant | undefined
  readonly limitBytes: number | undefined
}

export interface Runtime {
  /** What the node reports, for example `process://1`. */
  readonly version: string
  /** Whether users, capabilities and limits are enforced. */
  readonly isolates: boolean
  image(image: string, policy: PullPolicy, hasCommand: boolean): ImageVerdict
  /** Starts the container, or finds it again when this attempt was started before. `ended` resolves once no process of it is left. */
  start(config: ContainerConfig): Promise<ContainerStart>
  /** Asks the main process to end, and ends everything by force after `graceMs`; 0 at once. Resolves when no process is left; a container that has ended is no error. */
  stop(id: ContainerId, graceMs: number): Promise<void>
  /** Runs a command in the container's surroundings, as probes and hooks do. The output is cut at 10 KiB. */
  exec(id: ContainerId, command: readonly string[], timeoutMs: number | undefined): Promise<ExecResult>
  /** Opens a connection to the container, or makes a GET request, as probes and hooks do. Certificates are not checked, redirects not followed. */
  reach(id: ContainerId, target: NetworkTarget, timeoutMs: number | undefined): Promise<NetworkResult>
  /** The containers that run now, whoever started them. */
  containers(): readonly ContainerId[]
  /** The container's output, both streams in one, as it grows when followed; ends when the container has. */
  logs(id: ContainerId, options: RuntimeLogOptions, until: AbortSignal): AsyncIterable<string>
  /** Removes what is kept of a pod whose containers have ended: logs, directories, volumes. */
  remove(pod: string): Promise<void>
  /** Ends every container at once and removes everything. */
  close(): Promise<void>
}
