// Decides at which place the facts of an object count: in its clusters, in its folder, or everywhere.
import type { Reach } from '../../delivery.ts'
import type { DecodedFile, SourceObject } from '../decode/document.ts'
import { ownCluster } from './clusters-by-file.ts'
import { clustersMax, type Found } from './follow.ts'
import { sampleFolder } from './samples.ts'
import type { Strangers } from './strangers.ts'
import type { Order } from './target.ts'
import { isTerraform } from './terraform.ts'
import { around, folderOf } from './tree.ts'

export function reachesOf(
  files: readonly DecodedFile[],
  found: Found,
  ordersOf: ReadonlyMap<number, readonly Order[]>,
  strangers: Strangers,
): (object: SourceObject) => Reach {
  const isNamed = found.size > 0 || ordersOf.size > 0
  const namesOf = (object: SourceObject) => namesOfObject(object, found, ordersOf.get(object.number) ?? [])
  const [manifests, terraform] = [false, true].map((wanted) => {
    const names = new Set<string>()
    for (const { file, objects } of isNamed ? files : []) {
      if (isTerraform(file.path) !== wanted) continue
      for (const object of objects) for (const name of namesOf(object)) names.add(name)
    }
    return names.size > 1
  })
  const charts = new Set(
    files.flatMap(({ file }) => (/(^|\/)Chart\.ya?ml$/.test(file.path) ? folderOf(file.path) : [])),
  )
  return (object) => {
    const { path } = object.document.file
    const names = isNamed ? [...namesOf(object)].sort() : []
    const sample = names.length === 0 ? sampleFolder(path) : undefined
    if (sample !== undefined) return { is: 'unknown', folder: sample }
    // Roots of Terraform stay apart. They say nothing about manifests, because several roots often build one cluster.
    if (!manifests && !(terraform && isTerraform(path))) {
      const group = strangers(path)
      return group === undefined ? { is: 'only-cluster' } : { is: 'unknown', folder: group }
    }
    if (names.length > 0 && names.length <= clustersMax) return { is: 'clusters', names }
    return { is: 'unknown', folder: around(folderOf(path)).findLast((each) => charts.has(each)) ?? folderOf(path) }
  }
}

/** A release counts in the cluster that it goes to, not in the cluster of the tool that delivers it. */
function namesOfObject({ document, value }: SourceObject, found: Found, orders: readonly Order[]): ReadonlySet<string> {
  const own = found.get(document.file.path) ?? new Set()
  if (orders.length === 0 || value['kind'] === 'Kustomization') return own
  const names = orders.flatMap(({ tool, destination }) => {
    if (destination.is === 'named') return [destination.name]
    if (destination.is === 'unknown') return []
    return own.size > 0 || tool === 'Flux' ? [...own] : [ownCluster]
  })
  return new Set(names)
}
