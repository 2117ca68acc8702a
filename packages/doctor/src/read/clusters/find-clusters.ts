// Finds the clusters that the objects of each file go to. Facts of one cluster never speak for another, so a wrong guess is worse
// than none: a file gets a cluster only where the input names it.
import { groupedBy } from '@dayfly/kit/grouped'
import type { Delivery } from '../../delivery.ts'
import type { DecodedFile, SourceObject } from '../decode/document.ts'
import { isResource } from '../terraform/object-document.ts'
import { startSearch } from './application-set.ts'
import { argoOrders } from './argo.ts'
import { mayBeHook } from './chart-hook.ts'
import { clustersByFile } from './clusters-by-file.ts'
import type { DeclaredCluster } from './declared-cluster.ts'
import { declaredVersion } from './declared-version.ts'
import { fluxOrders } from './flux.ts'
import { type Graph, repeated } from './follow.ts'
import { kustomizationsIn, namespaceGivenBy } from './kustomizations.ts'
import { reachesOf } from './reaches.ts'
import { isSample, sampleFolder } from './samples.ts'
import { findStrangers } from './strangers.ts'
import type { Order } from './target.ts'
import { terraformFolders } from './terraform.ts'
import { type Tree, treeOf } from './tree.ts'
import { isOwnedByWorkflow } from './workflow-owner.ts'

export type Clusters = {
  readonly deliveryOf: (object: SourceObject) => Delivery
  /** Returns the versions that the operator declares for the clusters of a file. Undefined: one of them has none. */
  readonly versionOf: (file: string) => ReturnType<typeof declaredVersion>
}

export function findClusters(files: readonly DecodedFile[], declared: readonly DeclaredCluster[] = []): Clusters {
  const tree = treeOf(files.map(({ file }) => file.path))
  const orders = ordersIn(files, tree)
  const byFile = groupedBy(orders, ({ file }) => file)
  const graph: Graph = {
    tree,
    kustomizations: kustomizationsIn(files),
    terraform: terraformFolders(files),
    ordersOf: (file) => byFile.get(file) ?? [],
  }
  const found = clustersByFile(files, graph, orders, declared)
  const again = repeated(graph, orders)
  const reachOf = reachesOf(
    files,
    found,
    groupedBy(orders, ({ object }) => object),
    findStrangers(files, graph, orders),
  )
  const namespaceOf = namespaceGivenBy(graph.kustomizations)
  return {
    deliveryOf: (object) => {
      const { path } = object.document.file
      const namespace = namespaceOf(path)
      const tool = again.get(path) ?? (isResource(object.document) ? 'Terraform' : undefined)
      return {
        reach: reachOf(object),
        ...(namespace !== undefined && { namespace }),
        ...(tool && { repeatedBy: tool }),
        ...(isOwnedByWorkflow(object) && { hasOwner: true }),
        ...(mayBeHook(object) && { mayBeHook: true }),
        ...(isSample(path) && { isSample: true }),
      }
    },
    versionOf: (file) => declaredVersion(found.get(file), declared),
  }
}

/** A sample orders nothing in the clusters of the repository. */
function ordersIn(files: readonly DecodedFile[], tree: Tree): readonly Order[] {
  const search = startSearch(tree)
  return files.flatMap(({ file, objects }) => {
    // Most objects are of other kinds, so this comes first.
    const tools = objects.filter(({ value }) => kinds.has(value['kind']))
    if (tools.length === 0 || sampleFolder(file.path) !== undefined) return []
    return tools.flatMap((object) => [...fluxOrders(object, tree), ...argoOrders(object, search)])
  })
}

const kinds: ReadonlySet<unknown> = new Set([
  'Kustomization',
  'HelmRelease',
  'FluxInstance',
  'Application',
  'ApplicationSet',
])
