// Amounts of resources by name (a ResourceList): read, added and compared.
import { isObject } from './json.ts'
import { parseQuantity, type Quantity, quantity } from './quantity.ts'

export type Amounts = ReadonlyMap<string, Quantity>

/** Reads a ResourceList. Skips each value that is not a quantity. Without a list, returns no amounts. */
export function amountsOf(list?: unknown): Amounts {
  const amounts = new Map<string, Quantity>()
  for (const [name, value] of Object.entries(isObject(list) ? list : {})) {
    const amount = typeof value === 'string' ? parseQuantity(value) : undefined
    if (amount !== undefined) amounts.set(name, amount)
  }
  return amounts
}

/** Returns an amount of whole things. */
export function countOf(count: number): Quantity {
  return quantity(BigInt(count) * 1_000_000_000n, 'decimal')
}

/** Adds two amounts. The sum is written like the first one that is not 0, as in Kubernetes. */
export function add(left: Quantity | undefined, right: Quantity): Quantity {
  if (left === undefined || left.nano === 0n) return right
  return quantity(left.nano + right.nano, left.format)
}

export function subtract(left: Quantity, right: Quantity): Quantity {
  return quantity(left.nano - right.nano, left.format)
}

export function sum(left: Amounts, right: Amounts): Amounts {
  const total = new Map(left)
  for (const [name, amount] of right) total.set(name, add(total.get(name), amount))
  return total
}

/** Returns the larger amount of each resource. */
export function highest(left: Amounts, right: Amounts): Amounts {
  const most = new Map(left)
  for (const [name, amount] of right) {
    const known = most.get(name)
    if (known === undefined || amount.nano > known.nano) most.set(name, amount)
  }
  return most
}

/** Returns the amounts of the names that are kept. */
export function masked(amounts: Amounts, keep: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => keep(name)))
}

/** Writes amounts as a message shows them: `pods=1,requests.cpu=500m`. */
export function printAmounts(amounts: Amounts): string {
  return sorted(amounts)
    .map(([name, { text }]) => `${name}=${text}`)
    .join(',')
}

/** Returns the amounts as a ResourceList. */
export function toList(amounts: Amounts): Readonly<Record<string, string>> {
  return Object.fromEntries(sorted(amounts).map(([name, { text }]) => [name, text]))
}

function sorted(amounts: Amounts): readonly (readonly [string, Quantity])[] {
  return [...amounts].sort(([one], [other]) => (one < other ? -1 : 1))
}
