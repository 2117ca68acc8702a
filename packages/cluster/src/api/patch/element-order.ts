// Orders a merged list: items of the patch keep the patch's order, all others keep the live order.
import { isObject } from '../values/json.ts'

type Orders = {
  /** The patch's order. */
  readonly order: readonly unknown[]
  /** The order before the patch. */
  readonly live: readonly unknown[]
  /** The merge key of a list of objects; undefined for a list of plain values. */
  readonly key: string | undefined
}

/** Sorts the merged items. The live order decides between an item of the patch and one that only the server has. */
export function inOrder(merged: readonly unknown[], { order, live, key }: Orders): readonly unknown[] {
  const named = rank(order, key)
  const known = rank(live, key)
  const identity = (item: unknown): unknown => identityOf(item, key)
  const byRank = (ranks: ReadonlyMap<unknown, number>, items: readonly unknown[]): unknown[] =>
    [...items].sort((left, right) => (ranks.get(identity(left)) ?? 0) - (ranks.get(identity(right)) ?? 0))
  const fromPatch = byRank(
    named,
    merged.filter((item) => named.has(identity(item))),
  )
  const serverOnly = byRank(
    known,
    merged.filter((item) => !named.has(identity(item))),
  )
  const result: unknown[] = []
  let [nextPatched, nextServer] = [0, 0]
  while (nextPatched < fromPatch.length && nextServer < serverOnly.length) {
    const server = known.get(identity(serverOnly[nextServer]))
    const patched = known.get(identity(fromPatch[nextPatched]))
    const serverFirst = server !== undefined && patched !== undefined && server < patched
    result.push(serverFirst ? serverOnly[nextServer++] : fromPatch[nextPatched++])
  }
  return [...result, ...fromPatch.slice(nextPatched), ...serverOnly.slice(nextServer)]
}

/** Returns whether a patch lists its items in the order of its $setElementOrder. Deletions may have any position. */
export function sameOrder(change: readonly unknown[], order: readonly unknown[], key: string | undefined): boolean {
  const items = change.filter((item) => !isObject(item) || item['$patch'] === undefined)
  if (items.length === 0 || order.length === 0) return true
  let at = 0
  for (const item of order) if (at < items.length && identityOf(items[at], key) === identityOf(item, key)) at++
  return at === items.length
}

function rank(list: readonly unknown[], key: string | undefined): ReadonlyMap<unknown, number> {
  const ranks = new Map<unknown, number>()
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, key)
    if (!ranks.has(identity)) ranks.set(identity, index)
  }
  return ranks
}

function identityOf(item: unknown, key: string | undefined): unknown {
  return key !== undefined && isObject(item) ? item[key] : item
}
