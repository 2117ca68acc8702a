// Follows clusters from the files that show them to everything that those files bring along: through the orders of Flux and Argo CD,
// through kustomizations and through modules of Terraform. Each step is taken once for each cluster, so cycles end.
import type { Kustomization } from './kustomizations.ts'
import type { Order, Target } from './target.ts'
import { isTerraform, type TerraformFolder } from './terraform.ts'
import { folderOf, type Tree } from './tree.ts'

export type Graph = {
  readonly tree: Tree
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly terraform: ReadonlyMap<string, TerraformFolder>
  readonly ordersOf: (file: string) => readonly Order[]
}

/** A part that goes to more clusters counts as unknown: the bound keeps the cost of any input linear. */
export const clustersMax = 64

export type Mark = { readonly target: Target; readonly cluster: string }

/** Maps files to the names of their clusters. */
export type Found = Map<string, Set<string>>

/** Adds the clusters that follow from the marks. Files in `settled` keep what they have. */
export function follow(graph: Graph, marks: readonly Mark[], found: Found, settled: (file: string) => boolean): void {
  const seen = new Map<string, Set<string>>()
  const open = [...marks]
  for (let mark = open.pop(); mark; mark = open.pop()) {
    const { target, cluster } = mark
    const key = `${target.is} ${target.path}`
    const clusters = seen.get(key) ?? new Set()
    // One more than the bound shows that the bound is exceeded.
    if (clusters.has(cluster) || clusters.size > clustersMax) continue
    seen.set(key, clusters.add(cluster))
    if (target.is === 'file') {
      if (settled(target.path)) continue
      found.set(target.path, (found.get(target.path) ?? new Set()).add(cluster))
      for (const { destination, targets } of graph.ordersOf(target.path)) {
        if (destination.is === 'same') for (const next of targets) open.push({ target: next, cluster })
      }
    }
    for (const next of contentsOf(graph, target)) open.push({ target: next, cluster })
  }
}

/** Returns the files that a tool applies again when their objects are gone. The first tool that reaches a file counts. */
export function repeated(graph: Graph, orders: readonly Order[]): ReadonlyMap<string, Order['tool']> {
  const found = new Map<string, Order['tool']>()
  const seen = new Set<string>()
  const open = orders.flatMap(({ tool, targets }) => targets.map((target) => ({ tool, target })))
  for (let next = open.pop(); next; next = open.pop()) {
    const { tool, target } = next
    const key = `${target.is} ${target.path}`
    if (seen.has(key)) continue
    seen.add(key)
    if (target.is === 'file') found.set(target.path, tool)
    for (const each of contentsOf(graph, target)) open.push({ tool, target: each })
  }
  return found
}

function contentsOf(graph: Graph, { is, path }: Target): readonly Target[] {
  if (is === 'file') return broughtBy(graph, path)
  if (is === 'module') {
    const { files = [], calls = [] } = graph.terraform.get(path) ?? {}
    return [...files.map(asFile), ...calls.map((called): Target => ({ is: 'module', path: called }))]
  }
  const kustomization = graph.kustomizations.get(path)
  if (kustomization)
    return [asFile(kustomization.file), ...kustomization.resources.flatMap((each) => resourceAt(graph, each))]
  if (is === 'kustomization') return []
  const { files = [], folders = [] } = graph.tree.get(path) ?? {}
  const isWhole = is === 'tree' || files.some((file) => /(?:^|\/)Chart\.ya?ml$/.test(file))
  return [...files.map(asFile), ...(isWhole ? folders.map((folder): Target => ({ is: 'tree', path: folder })) : [])]
}

/** A kustomization and a file of Terraform bring the rest of their folder along. */
function broughtBy({ kustomizations, terraform }: Graph, file: string): readonly Target[] {
  const path = folderOf(file)
  if (kustomizations.get(path)?.file === file) return [{ is: 'kustomization', path }]
  return isTerraform(file) && terraform.has(path) ? [{ is: 'module', path }] : []
}

/** A folder without a kustomization is no resource: kustomize refuses it. */
function resourceAt({ tree, kustomizations }: Graph, resource: string): readonly Target[] {
  if (kustomizations.has(resource)) return [{ is: 'kustomization', path: resource }]
  return tree.has(resource) ? [] : [asFile(resource)]
}

export function asFile(path: string): Target {
  return { is: 'file', path }
}
