// The version of the runner that a set uses, and when the forge ends it.
import type { Instant } from '@dayfly/kit/clock'

/** The image of a set's runner, and the version that its name proves. */
export type RunnerImage = { readonly image: string; readonly version: string | undefined }

/** The version as far as it is known. A part that is not known is undefined: no part is ever guessed. */
export type RunnerVersion = {
  /** Numbers with dots: `2.330.0`. */
  readonly version: string
  /** `runner`: the newest runner that connected reported it. `image`: it is the tag of the image. */
  readonly from: 'runner' | 'image'
  /** When the forge ends the version, as the forge says. */
  readonly schedule: VersionSchedule | undefined
  /** The lowest version that the forge lets register; undefined at a forge without such a rule. */
  readonly minimum: string | undefined
}

/** A time is undefined while the forge has planned no end. */
export type VersionSchedule = {
  /** A runner of the version gets no job after this. */
  readonly runtimeEndsAt: Instant | undefined
  /** No runner of the version can register after this. */
  readonly registrationEndsAt: Instant | undefined
}

/** The same in the status of a set, for people and for the next leader. Times are API timestamps; null is unknown or not planned. */
export type RunnerVersionStatus = {
  readonly version: string
  readonly from: RunnerVersion['from']
  /** The image for which the version was learned. */
  readonly image: string
  /** Whether the forge has said when it ends the version. */
  readonly scheduled: boolean
  readonly runtimeEndsAt: string | null
  readonly registrationEndsAt: string | null
  readonly minimum: string | null
}
