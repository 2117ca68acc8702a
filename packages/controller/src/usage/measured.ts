// Reads one item of a list of PodMetrics. A quantity that cannot be read makes the whole pod unknown: a sum without a part would be too small.
import type { Instant } from '@dayfly/kit/clock'
import { fieldsAt, type JsonObject, listAt, textAt, timeAt } from '@dayfly/kit/read-json'
import { amountsOf } from '@dayfly/runner-set/model/quantity'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'

/** The usage of one pod, all its containers together. */
export type Measured = {
  readonly runner: string
  /** The end of the window that the cluster measured. */
  readonly at: Instant
  /** In cores. */
  readonly cpu: number
  /** In bytes. */
  readonly memory: number
}

/** Returns undefined unless every quantity is known and the runner's own container is among them. */
export function measuredOf(item: JsonObject): Measured | undefined {
  const runner = textAt(item, 'metadata', 'name')
  const at = timeAt(item, 'timestamp')
  const containers = listAt(item, 'containers')
  const isWhole = containers.some((container) => textAt(container, 'name') === runnerContainer)
  if (runner === undefined || at === undefined || !isWhole) return undefined
  const usages = containers.map((container) => amountsOf(fieldsAt(container, 'usage')))
  const cpu = sum(usages.map((usage) => usage['cpu']))
  const memory = sum(usages.map((usage) => usage['memory']))
  return cpu === undefined || memory === undefined || memory === 0 ? undefined : { runner, at, cpu, memory }
}

function sum(amounts: readonly (number | undefined)[]): number | undefined {
  let total = 0
  for (const amount of amounts) {
    if (amount === undefined || amount < 0 || !Number.isFinite(amount)) return undefined
    total += amount
  }
  return total
}
