// Finds folders that cannot all be for one cluster: two folders that nothing relates define the same object. An input of several
// repositories looks like that. Without this sign, folders beside each other count as one repository for one cluster.
import { textAt } from '@dayfly/kit/read-json'
import type { DecodedFile, SourceObject } from '../decode/document.ts'
import { isUnknown } from '../template/template-value.ts'
import type { Graph } from './follow.ts'
import { sampleFolder } from './samples.ts'
import type { Order } from './target.ts'
import { folderOf, isWithin } from './tree.ts'

/** Returns the folder whose objects are together with those of a file. Undefined: those of the whole input are. */
export type Strangers = (file: string) => string | undefined

export function findStrangers(files: readonly DecodedFile[], graph: Graph, orders: readonly Order[]): Strangers {
  const holders = files.filter(({ objects }) => objects.length > 0).map(({ file }) => file.path)
  const top = commonFolder(holders)
  // A folder with manifests of its own is one repository.
  if (holders.some((file) => folderOf(file) === top)) return () => undefined
  const groups = relate(graph, orders, (path) => childOf(top, path))
  const groupOf = (file: string): string | undefined => {
    const child = childOf(top, file)
    return child === undefined ? undefined : groups(child)
  }
  return collides(files, groupOf) ? groupOf : () => undefined
}

/** Returns the innermost folder around all files. */
function commonFolder(files: readonly string[]): string {
  let common = folderOf(files[0] ?? '')
  for (const file of files) while (!isWithin(file, common)) common = folderOf(common)
  return common
}

/** Returns the folder directly below the top that holds the path. */
function childOf(top: string, path: string): string | undefined {
  if (!isWithin(path, top) || path === top) return undefined
  const end = path.indexOf('/', top === '' ? 0 : top.length + 1)
  return end < 0 ? path : path.slice(0, end)
}

type ChildOf = (path: string) => string | undefined

/** Returns a name that folders share if kustomizations, modules or delivery tools lead from one to the other. */
function relate({ kustomizations, terraform }: Graph, orders: readonly Order[], child: ChildOf) {
  const above = new Map<string, string>()
  const nameOf = (folder: string): string => {
    let name = folder
    for (let next = above.get(name); next !== undefined; next = above.get(name)) name = next
    return name
  }
  const join = (from: string, to: string): void => {
    const [one, other] = [child(from), child(to)].map((folder) => folder && nameOf(folder))
    if (one && other && one !== other) above.set(one, other)
  }
  for (const { file, resources } of kustomizations.values()) for (const resource of resources) join(file, resource)
  for (const [folder, { calls }] of terraform) for (const called of calls) join(`${folder}/-`, called)
  for (const { file, targets } of orders) for (const { path } of targets) join(file, path)
  return nameOf
}

/** Whether two groups define one object. Without a namespace in sight, two objects may be in two namespaces. */
function collides(files: readonly DecodedFile[], groupOf: (file: string) => string | undefined): boolean {
  const definedBy = new Map<string, string>()
  for (const { file, objects } of files) {
    const group = sampleFolder(file.path) === undefined ? groupOf(file.path) : undefined
    if (group === undefined) continue
    for (const object of objects) {
      const key = keyOf(object)
      if (key === undefined) continue
      const other = definedBy.get(key)
      if (other !== undefined && other !== group) return true
      definedBy.set(key, group)
    }
  }
  return false
}

/** A program makes the object of a string or of a computed name, so it may have another name or namespace. */
function keyOf({ document, kind, value }: SourceObject): string | undefined {
  if (kind !== 'object' || document.host !== undefined) return undefined
  const namespace = textAt(value, 'metadata', 'namespace')
  const name = namespace && textAt(value, 'metadata', 'name')
  if (!name || isUnknown(name + namespace)) return undefined
  const [group = ''] = textAt(value, 'apiVersion')?.split('/', 1) ?? []
  return `${group} ${value['kind']} ${namespace} ${name}`
}
