// The port between the kubelet and a container runtime.
import type { Instant } from '@dayfly/kit/clock'
import type { CommandOrder, CommandSession } from '@dayfly/kit/command-session'

/** One attempt to run one container of one pod. Each restart has the next attempt number. */
export type ContainerId = { readonly pod: string; readonly name: string; readonly attempt: number }

/** A volume and its initial files. Containers of a pod that mount the same name share it. */
export type Volume = { readonly name: string; readonly files: readonly VolumeFile[] }

export type VolumeFile = { readonly path: string; readonly data: Uint8Array; readonly mode: number }

export type Mount = { readonly mountPath: string; readonly subPath: string | undefined; readonly volume: Volume }

export type ContainerConfig = {
  readonly id: ContainerId
  readonly image: string
  /** If empty, the image's entrypoint runs. */
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
  /** The file into which the container may write why it ends. */
  readonly terminationMessagePath: string | undefined
  /** The main process is the first of its PID namespace. Signals that it does not handle have no effect on it, except SIGKILL. */
  readonly isFirstProcess: boolean
  readonly mounts: readonly Mount[]
}

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never'

/** Whether the runtime can run this image. A refusal has Kubernetes' reason and message. */
export type ImageVerdict =
  | { readonly is: 'present' }
  | {
      readonly is: 'refused'
      readonly reason: 'InvalidImageName' | 'ErrImageNeverPull' | 'ErrImagePull'
      readonly message: string
    }

/** The end of a container. The exit code is 128 + n for signal n. */
export type ContainerEnd = {
  readonly exitCode: number
  readonly finishedAt: Instant
  /** If absent, the exit code decides between `Completed` and `Error`. */
  readonly reason?: 'OOMKilled' | 'ContainerStatusUnknown'
  /** The text of the termination message file, or the runtime's own words. */
  readonly message?: string | undefined
}

export type ContainerStart =
  | { readonly is: 'started'; readonly startedAt: Instant; readonly ended: Promise<ContainerEnd> }
  /** The command cannot be run. Kubernetes reports it as `StartError` with exit code 128. */
  | { readonly is: 'failed'; readonly message: string }

/** A container that was started before, possibly by an earlier process. */
export type AdoptedContainer = Extract<ContainerStart, { is: 'started' }> & {
  /** False if it has ended already. `ended` then resolves soon. */
  readonly isRunning: boolean
}

export type ExecResult =
  | { readonly is: 'ended'; readonly exitCode: number; readonly output: string }
  | { readonly is: 'timed-out' }
  | { readonly is: 'failed'; readonly message: string }

/** The target of a network probe or hook. If `host` is undefined, the target is the container itself. */
export type NetworkTarget =
  | { readonly is: 'tcp'; readonly host: string; readonly port: number }
  | {
      readonly is: 'http'
      readonly scheme: 'http' | 'https'
      readonly host: string
      readonly port: number
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
    }

export type NetworkResult =
  /** The connection was established. `status` is the HTTP status; undefined for a TCP connection. */
  | { readonly is: 'reached'; readonly status: number | undefined }
  | { readonly is: 'timed-out' }
  /** The attempt failed, for example with `connection refused`. */
  | { readonly is: 'failed'; readonly message: string }

export type RuntimeLogOptions = {
  readonly follow: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly since: Instant | undefined
  readonly limitBytes: number | undefined
}

/** The usage of one container that runs, all its processes together. */
export type ContainerUsage = {
  readonly id: ContainerId
  readonly startedAt: Instant
  /** The processor time since the start, in milliseconds. */
  readonly cpuMs: number
  readonly memoryBytes: number
}

export interface Runtime {
  /** The runtime version that the node reports, for example `process://1`. */
  readonly version: string
  /** Whether the runtime enforces users, capabilities and limits. */
  readonly isolates: boolean
  image(image: string, policy: PullPolicy, hasCommand: boolean): ImageVerdict
  /** Starts the container, or finds it again if this attempt was started before. `ended` resolves when no process of it is left. */
  start(config: ContainerConfig): Promise<ContainerStart>
  /** Finds a container that was started before. Returns undefined if this attempt was not, or if nothing of it is left. */
  adopt(id: ContainerId): AdoptedContainer | undefined
  /** Sends SIGTERM to the main process, and kills every process after `graceMs` (0: at once). Resolves when no process is left, also if the container has already ended. */
  stop(id: ContainerId, graceMs: number): Promise<void>
  /** Runs a command in the container's environment, for a probe or hook. The output is cut at 10 KiB. */
  exec(id: ContainerId, command: readonly string[], timeoutMs: number | undefined): Promise<ExecResult>
  /** Starts a command in the container's environment, for a client that takes part in its streams. It is killed when `until` is aborted, and with the container. Returns undefined if the container does not run. */
  session(id: ContainerId, order: CommandOrder, until: AbortSignal): CommandSession | undefined
  /** Opens a TCP connection or sends a GET request, for a probe or hook. It does not check certificates or follow redirects. */
  reach(id: ContainerId, target: NetworkTarget, timeoutMs: number | undefined): Promise<NetworkResult>
  /** Returns the containers that run now, as far as this process started or adopted them. */
  containers(): readonly ContainerId[]
  /** Returns the usage of each container that runs; of none if containers have no processes. */
  usage(): readonly ContainerUsage[]
  /**
   * Returns each pod of which anything is left, with its containers that were started, also if they have ended. An earlier process may have started them.
   *
   * @param except the pods that the caller does not ask about
   */
  left(except?: ReadonlySet<string>): ReadonlyMap<string, readonly ContainerId[]>
  /** Streams the container's output, with both streams in one. With `follow`, it continues until the container has ended. */
  logs(id: ContainerId, options: RuntimeLogOptions, until: AbortSignal): AsyncIterable<string>
  /** Removes the logs, directories and volumes of a pod whose containers have ended. */
  remove(pod: string): Promise<void>
  /** Ends the runtime. Kills every container at once and removes everything, unless the runtime keeps its containers. */
  close(): Promise<void>
}
