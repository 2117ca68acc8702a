// The list and set functions of Kubernetes' rules.
import type { Environment } from '@marcbachmann/cel-js'

type Ordered = bigint | number | string | Date

/** The namespace of the set functions: `sets.contains(a, b)`. */
class Sets {}

export function addListFunctions(environment: Environment): void {
  environment
    .registerFunction('list<A>.isSorted(): bool', (items: readonly Ordered[]) =>
      items.every((item, index) => index === 0 || (items[index - 1] ?? item) <= item),
    )
    .registerFunction('list<int>.sum(): int', (items: readonly bigint[]) => items.reduce((sum, item) => sum + item, 0n))
    .registerFunction('list<double>.sum(): double', (items: readonly number[]) =>
      items.reduce((sum, item) => sum + item, 0),
    )
    .registerFunction('list<A>.min(): A', (items: readonly Ordered[]) =>
      extreme(items, 'min', (left, right) => left < right),
    )
    .registerFunction('list<A>.max(): A', (items: readonly Ordered[]) =>
      extreme(items, 'max', (left, right) => left > right),
    )
    .registerFunction('list<A>.indexOf(A): int', (items: readonly unknown[], item: unknown) =>
      BigInt(items.indexOf(item)),
    )
    .registerFunction('list<A>.lastIndexOf(A): int', (items: readonly unknown[], item: unknown) =>
      BigInt(items.lastIndexOf(item)),
    )
  environment
    .registerType('Sets', Sets)
    .registerConstant('sets', 'Sets', new Sets())
    .registerFunction(
      'Sets.contains(list<A>, list<A>): bool',
      (_sets: Sets, list: readonly unknown[], sub: readonly unknown[]) => within(sub, list),
    )
    .registerFunction(
      'Sets.equivalent(list<A>, list<A>): bool',
      (_sets: Sets, left: readonly unknown[], right: readonly unknown[]) => within(left, right) && within(right, left),
    )
    .registerFunction(
      'Sets.intersects(list<A>, list<A>): bool',
      (_sets: Sets, left: readonly unknown[], right: readonly unknown[]) => left.some((item) => right.includes(item)),
    )
}

function extreme(items: readonly Ordered[], name: string, better: (left: Ordered, right: Ordered) => boolean): Ordered {
  const [first, ...rest] = items
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, item) => (better(item, best) ? item : best), first)
}

function within(sub: readonly unknown[], list: readonly unknown[]): boolean {
  return sub.every((item) => list.includes(item))
}
