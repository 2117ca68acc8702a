// Marks the files that show a cluster by themselves, and follows the marks through the input. The operator's word comes first, then
// what delivers to a named cluster, then what delivers to its own.
import type { DecodedFile } from '../decode/document.ts'
import { globPattern } from '../files/glob.ts'
import type { DeclaredCluster } from './declared-cluster.ts'
import { asFile, type Found, follow, type Graph, type Mark } from './follow.ts'
import { type Roots, rootsOf } from './roots.ts'
import { sampleFolder } from './samples.ts'
import type { Order } from './target.ts'
import { around, folderOf } from './tree.ts'

/** The name for the cluster of an Argo CD that the input does not show. */
export const ownCluster = 'in-cluster'

export function clustersByFile(
  files: readonly DecodedFile[],
  graph: Graph,
  orders: readonly Order[],
  declared: readonly DeclaredCluster[],
): Found {
  const found: Found = new Map()
  const marked = declaredMarks(files, declared)
  follow(graph, marked, found, () => false)
  const own = new Set(marked.map(({ target }) => target.path))
  const roots = rootsOf({ ...graph, orders }, own)
  const named = [...rootMarks(files, roots), ...orderMarks(orders), ...terraformMarks(graph)]
  follow(graph, named, found, (file) => own.has(file))
  const settled = new Set(found.keys())
  follow(graph, ownMarks(orders, settled), found, (file) => settled.has(file))
  return found
}

function declaredMarks(files: readonly DecodedFile[], declared: readonly DeclaredCluster[]): readonly Mark[] {
  return declared.flatMap(({ name, paths }) => {
    const patterns = paths.flatMap((glob) => globPattern(glob) ?? [])
    return files.flatMap(({ file }) =>
      patterns.some((pattern) => pattern.test(file.path)) ? [{ target: asFile(file.path), cluster: name }] : [],
    )
  })
}

function rootMarks(files: readonly DecodedFile[], roots: Roots): readonly Mark[] {
  if (roots.size === 0) return []
  return files.flatMap(({ file: { path } }) => {
    const root = around(folderOf(path)).find((folder) => roots.has(folder))
    const cluster = root === undefined ? undefined : roots.get(root)
    return cluster === undefined || sampleFolder(path) !== undefined ? [] : [{ target: asFile(path), cluster }]
  })
}

function orderMarks(orders: readonly Order[]): readonly Mark[] {
  return orders.flatMap(({ destination, targets }) =>
    destination.is === 'named' ? targets.map((target) => ({ target, cluster: destination.name })) : [],
  )
}

function terraformMarks({ terraform }: Graph): readonly Mark[] {
  return [...terraform].flatMap(([path, { cluster }]) =>
    cluster === undefined || sampleFolder(`${path}/-`) !== undefined
      ? []
      : [{ target: { is: 'module', path }, cluster }],
  )
}

/** An Argo CD whose own cluster is not known still has one. */
function ownMarks(orders: readonly Order[], known: ReadonlySet<string>): readonly Mark[] {
  return orders.flatMap(({ tool, file, destination, targets }) =>
    tool === 'Argo CD' && destination.is === 'same' && !known.has(file)
      ? targets.map((target) => ({ target, cluster: ownCluster }))
      : [],
  )
}
