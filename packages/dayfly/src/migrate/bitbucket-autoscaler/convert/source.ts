import type { JobTemplate } from '../job-template.ts'
import type { DefaultPod } from './default-pod.ts'
import type { Ledger } from './ledger.ts'

/** The facts of one template that its parts share while they are converted. */
export type Source = {
  readonly template: JobTemplate
  readonly ledger: Ledger
  readonly defaults: DefaultPod
  readonly hasDocker: boolean
  /** The template starts Docker by a command of its own. */
  readonly hasOwnEngine: boolean
  /** The template has a volume of its own at the official work folder `/tmp`. */
  readonly hasOwnWorkFolder: boolean
  /** Why a volume is not kept, by its name. */
  readonly goneVolumes: ReadonlyMap<string, string>
}
