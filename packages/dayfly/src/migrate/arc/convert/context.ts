// The facts of one release that the parts of its conversion share.
import type { Ledger } from '../ledger.ts'
import type { ChartMade } from '../release.ts'
import type { Values } from '../values.ts'
import type { DefaultPod } from './default-pod.ts'

/** A Secret that the operator creates. It is never part of the output. */
export type WantedSecret = {
  readonly name: string
  readonly why: string
  /** The options of `kubectl create secret generic`, or the whole command that copies another Secret. */
  readonly from: { readonly options: readonly string[] } | { readonly command: string }
}

export type Context = {
  /** The name of the RunnerSet. */
  readonly name: string
  readonly namespace: string | undefined
  readonly values: Values
  readonly ledger: Ledger
  readonly made: ChartMade
  /** The release is of ARC's older generation. */
  readonly isOld: boolean
  readonly defaults: DefaultPod
  /** Notes a Secret that the RunnerSet refers to and that does not exist yet. */
  readonly want: (secret: WantedSecret) => void
}

/** Returns the option of kubectl that names the namespace. */
export function inNamespace({ namespace }: Pick<Context, 'namespace'>): string {
  return namespace === undefined ? '' : ` -n ${namespace}`
}
