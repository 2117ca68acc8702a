// Finds keys that a mapping has twice. The parser's own check compares each key with each other one, which takes seconds in a hostile file.
import { isCollection, isMap, isNode, isPair } from 'yaml'

/** Calls `refuse` with the first such key and its offset. `<<` may be repeated. */
export function checkKeys(node: unknown, refuse: (key: string, offset: number) => never): void {
  if (isPair(node)) checkKeys(node.value, refuse)
  if (!isCollection(node)) return
  const keys = new Set<string>()
  for (const item of node.items) {
    if (isMap(node) && isPair(item)) {
      const key = String(isNode(item.key) ? item.key.toJSON() : item.key)
      if (keys.has(key) && key !== '<<') refuse(key, isNode(item.key) ? (item.key.range?.[0] ?? 0) : 0)
      keys.add(key)
    }
    checkKeys(item, refuse)
  }
}
