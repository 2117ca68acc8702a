// The facts of a set that the journal does not report: the server describes them.
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import type { Requests } from '../model/life.ts'

export type SetFacts = {
  /** `namespace/name` */
  readonly id: string
  /** The address of the account or repository at the forge. */
  readonly url: string
  readonly forge: ForgeKind
  readonly paused: boolean
  /** The requests of one pod of the set; null if its template sets nothing. */
  readonly requests: Requests | null
  /** The objective of the queue time; null if there is no such objective. */
  readonly objectiveMs: number | null
  /** The label of the set's nodes that has prices of its own, for example `node.kubernetes.io/instance-type=m5.large`. */
  readonly priceLabel: string | null
}
