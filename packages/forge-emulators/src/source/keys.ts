// Checks the keys of mappings. The parser's own check compares each key with each other one, which takes seconds in a hostile file.
import { isCollection, isMap, isNode, isPair, isScalar } from 'yaml'

/** Calls `refuse` with the first key that is not a text, or that its mapping has twice. `<<` may be repeated. */
export function checkKeys(node: unknown, refuse: (why: string, offset: number) => never): void {
  if (isPair(node)) checkKeys(node.value, refuse)
  if (!isCollection(node)) return
  const keys = new Set<string>()
  for (const item of node.items) {
    if (isMap(node) && isPair(item)) {
      const offset = isNode(item.key) ? (item.key.range?.[0] ?? 0) : 0
      if (!isScalar(item.key)) refuse('a key is not a text', offset)
      const key = String(item.key.value)
      if (keys.has(key) && key !== '<<') refuse(`the key ${key} is given twice`, offset)
      keys.add(key)
    }
    checkKeys(item, refuse)
  }
}
