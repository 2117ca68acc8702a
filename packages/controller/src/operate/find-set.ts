// Finds the set that an operator names, and the nearest name if there is no such set.
import type { Cluster } from './read.ts'
import { readSet, readSets, type SetView } from './set-view.ts'

export type SetSearch =
  | { readonly is: 'found'; readonly view: SetView }
  | { readonly is: 'ambiguous'; readonly namespaces: readonly string[] }
  /** `names`: the sets that exist where the command looked. */
  | { readonly is: 'missing'; readonly names: readonly string[] }

/** @param namespace undefined for all namespaces */
export async function findSet(cluster: Cluster, namespace: string | undefined, name: string): Promise<SetSearch> {
  if (namespace !== undefined) {
    const view = await readSet(cluster, { namespace, name })
    if (view) return { is: 'found', view }
    return { is: 'missing', names: (await readSets(cluster, namespace)).map((one) => one.name) }
  }
  const all = await readSets(cluster, undefined)
  const [first, ...others] = all.filter((one) => one.name === name)
  if (!first) return { is: 'missing', names: [...new Set(all.map((one) => one.name))] }
  if (others.length === 0) return { is: 'found', view: first }
  return { is: 'ambiguous', namespaces: [first, ...others].map((one) => one.namespace) }
}
