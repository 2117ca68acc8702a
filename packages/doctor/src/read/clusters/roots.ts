// Finds the folders that each stand for one cluster: by Flux's own Kustomization in them, or by their place in a folder such as
// `clusters` or `overlays`.
import type { Kustomization } from './kustomizations.ts'
import { sampleFolder } from './samples.ts'
import type { Order } from './target.ts'
import { around, folderOf, isWithin, nameOf, type Tree } from './tree.ts'

/** Maps the folder of each root to the name of its cluster. No root is inside another. */
export type Roots = ReadonlyMap<string, string>

export type Layout = {
  readonly tree: Tree
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly orders: readonly Order[]
}

/** `declared`: the files whose clusters the operator names. A folder with one of them shows no cluster by itself. */
export function rootsOf(layout: Layout, declared: ReadonlySet<string>): Roots {
  const synced = syncedFolders(layout)
  const aroundSynced = new Set([...synced].flatMap(around))
  const named = namedFolders(layout).filter(
    (folder) => !aroundSynced.has(folder) && !around(folder).some((each) => synced.has(each)),
  )
  const shared = sharedFolders(layout, new Set([...synced, ...named]))
  const settled = new Set([...declared].flatMap((file) => around(folderOf(file))))
  const folders = [...synced, ...named].filter((folder) => !shared.has(folder) && !settled.has(folder))
  const count = new Map<string, number>()
  for (const folder of folders) count.set(nameOf(folder), (count.get(nameOf(folder)) ?? 0) + 1)
  // Overlays of several applications with one name are for one cluster. Two folders `clusters/*/prod` of Flux are not.
  const isAmbiguous = (folder: string) => synced.has(folder) && (count.get(nameOf(folder)) ?? 0) > 1
  return new Map(folders.map((folder) => [folder, isAmbiguous(folder) ? folder : nameOf(folder)]))
}

/** Returns the folders that Flux applies because an object inside orders it: Flux runs in the cluster of that folder. */
function syncedFolders({ orders }: Layout): ReadonlySet<string> {
  const own = orders.flatMap(({ tool, file, destination, targets }) =>
    tool === 'Flux' && destination.is === 'same'
      ? targets.flatMap(({ is, path }) => (is === 'tree' && isWithin(file, path) ? [path] : []))
      : [],
  )
  const found = new Set(own)
  return new Set(
    own.filter(
      (folder) =>
        !around(folder)
          .slice(1)
          .some((above) => found.has(above)),
    ),
  )
}

const several = /^(?:overlays?|environments?|envs?|stages?)$/i
const sharedNames =
  /^(?:_.*|\..*|bases?|commons?|shared|defaults?|templates?|global|all|components?|modules?|apps?|infra(?:structure)?|addons?)$/i

/** Returns folders such as `clusters/prod` and `overlays/dev`. One overlay alone distinguishes no clusters. */
function namedFolders({ tree, kustomizations }: Layout): readonly string[] {
  const found: string[] = []
  const visit = (folder: string): void => {
    const children = tree.get(folder)?.folders ?? []
    const candidates = children.filter((child) => !sharedNames.test(nameOf(child)) && holdsManifests(child))
    const isParent = nameOf(folder) === 'clusters' ? candidates.length > 0 : isOverlays(folder, candidates)
    const chosen = new Set(isParent ? candidates : [])
    for (const child of children) {
      if (chosen.has(child)) found.push(child)
      else if (sampleFolder(`${child}/-`) === undefined) visit(child)
    }
  }
  const isOverlays = (folder: string, candidates: readonly string[]) =>
    several.test(nameOf(folder)) && candidates.length > 1
  const holdsManifests = (folder: string): boolean => {
    const { files = [], folders = [] } = tree.get(folder) ?? {}
    return (
      kustomizations.has(folder) || files.some((file) => /\.(?:ya?ml|json)$/.test(file)) || folders.some(holdsManifests)
    )
  }
  visit('')
  return found
}

/**
 * Returns the roots that others use. A folder beside `clusters/prod` that its kustomization names is a base. A folder that Flux or
 * Argo CD applies from elsewhere has the cluster of that order.
 */
function sharedFolders({ kustomizations, orders }: Layout, roots: ReadonlySet<string>): ReadonlySet<string> {
  const shared = new Set<string>()
  const note = (from: string, to: string): void => {
    const root = around(to).find((folder) => roots.has(folder))
    if (root !== undefined && !isWithin(from, root)) shared.add(root)
  }
  for (const [folder, { resources }] of kustomizations) for (const resource of resources) note(folder, resource)
  for (const { tool, file, destination, targets } of orders) {
    // Argo CD's `in-cluster` names no cluster by itself.
    if (destination.is === 'unknown' || (tool === 'Argo CD' && destination.is === 'same')) continue
    for (const { path } of targets) note(folderOf(file), path)
  }
  return shared
}
