// Refuses to change a text that has a meaning in other places: by an alias, an anchor, a merge key, or a repeated key.
import { isAlias, isMap, type Node, visit } from 'yaml'
import { type Found, hasMerge } from '../read/yaml/nodes.ts'
import { refuse } from './refusal.ts'

/** Refuses a path that leads through an alias, a merge key or a repeated key. */
export function refuseSharedPath({ shared }: Found, what = 'it'): void {
  if (shared) refuse(`${what} is shared with other places by an alias, a merge key or a repeated key`)
}

/** Refuses nodes whose text has a meaning in other places. */
export function refuseShared(node: Node | undefined): void {
  if (isAlias(node)) refuse('it is an alias of another place')
  if (node && 'anchor' in node && node.anchor) refuse('it has an anchor that other places may use')
  if (node?.tag) refuse('it has an explicit tag')
  if (isMap(node) && hasMerge(node)) refuse('a merge key adds to its mapping')
}

/** Refuses nodes that contain an anchor. */
export function refuseAnchors(node: Node | undefined): void {
  if (!node) return
  visit(node, {
    Node: (_, inner) =>
      'anchor' in inner && inner.anchor ? refuse('it has an anchor that other places may use') : undefined,
  })
}
