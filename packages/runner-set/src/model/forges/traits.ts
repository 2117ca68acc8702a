// How the forges differ, as data. Each forge has one file beside this one.
import type { Demand } from '../demand.ts'

export type ForgeTraits = {
  readonly demand: Demand['kind']
  /** Whether the forge gives a set jobs at once, up to the number of runners that it announces. */
  readonly announcesCapacity: boolean
  /** `refuses-busy`: a removal proves that the runner is idle. Either the forge refuses to remove a busy runner, or our client
   *  first makes sure that the runner is idle and gets no job. */
  readonly removal: 'refuses-busy' | 'unguarded'
  /** `by-itself`: the forge ends a runner after one job. `by-cordon`: the controller must cordon the runner. */
  readonly ephemeral: 'by-itself' | 'by-cordon'
  /** A runner may begin a job this long after its cordon, in milliseconds. */
  readonly pickUpDelayMs: number
  /** How a new leader finds the records of a set: by the ids in its stored status, or by the names of its runners. */
  readonly records: 'by-id' | 'by-name'
  /** How the log of the runner container shows its jobs; undefined if the forge itself reports them at once. */
  readonly jobLog: JobLog | undefined
  /**
   * The page of a run is OWNER/REPOSITORY/actions/runs/ID. `origin`: below the origin of the set's URL. `server`: below the part of its
   * path that is the server's own address. Undefined: the forge does not name the run of a job.
   */
  readonly runPages: 'origin' | 'server' | undefined
  /** The number of runners that one account holds; undefined without such a limit. */
  readonly runnersMax: number | undefined
  /** The options of `kubectl create secret generic` for the simplest credential. */
  readonly secretOptions: string
  readonly runner: RunnerTraits
}

/** The first group of `started` is the UUID of the job, and of `ended` the result in the runner's words. */
export type JobLog = { readonly started: RegExp; readonly ended: RegExp }

/** The forge's own runner, as a container of a pod. */
export type RunnerTraits = {
  readonly image: string
  /** Undefined: the image's own. */
  readonly command: readonly string[] | undefined
  readonly env: readonly { readonly name: string; readonly value: string }[]
  /** `file`: the Secret is mounted in this folder. `environment`: each of its keys is a variable. */
  readonly credential:
    | { readonly is: 'file'; readonly folder: string }
    | { readonly is: 'environment'; readonly keys: readonly { readonly name: string; readonly optional?: true }[] }
  /** The variable with the path of the work folder, which is a volume then; undefined if the runner keeps it to itself. */
  readonly workFolderVariable: string | undefined
  /** It reads the output of a job's containers from the files of the Docker Engine. */
  readonly readsEngineFiles: boolean
  /** The folder of its image that a job's containers mount through the Docker Engine; undefined if they mount nothing of the image. */
  readonly externalsFolder: string | undefined
  /** Whether it exits when the forge no longer knows it. If not, it asks for jobs forever, and only Dayfly ends its pod. */
  readonly exitsUnregistered: boolean
  /** The exit code with which it ends if the forge refuses its version. */
  readonly outdatedExitCode: number | undefined
  /** Whether the forge ends a version of the runner some time after a newer one. */
  readonly versionsEnd: boolean
}
