// Reads what Argo CD applies: the sources of Applications, and of the Applications that an ApplicationSet makes.
import { fieldsAt, listAt, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import type { SourceObject } from '../decode/document.ts'
import { asWritten } from '../template/as-written.ts'
import { isUnknown } from '../template/template-value.ts'
import { expandSet, fill, marker, matchFolders, type Search, type Values } from './application-set.ts'
import type { Destination, Order, Target } from './target.ts'
import { fromTop, joined } from './tree.ts'

/** Returns one order for each Application. */
export function argoOrders(object: SourceObject, search: Search): readonly Order[] {
  const { value, document, number } = object
  const isSet = value['kind'] === 'ApplicationSet'
  if (!isSet && value['kind'] !== 'Application') return []
  if (!textAt(value, 'apiVersion')?.startsWith('argoproj.io/')) return []
  const raw = asWritten(object)
  const spec = isSet ? fieldsAt(raw, 'spec', 'template', 'spec') : fieldsAt(raw, 'spec')
  const file = document.file.path
  const instances: readonly Values[] = isSet ? expandSet(raw, search) : [new Map()]
  return instances.map((values) => ({
    tool: 'Argo CD',
    file,
    object: number,
    destination: destinationOf(spec, values),
    targets: sourcesOf(spec).flatMap((source) => targetsOf(source, values, file, search)),
  }))
}

function sourcesOf(spec: unknown): readonly unknown[] {
  const single = valueAt(spec, 'source')
  return single === undefined ? listAt(spec, 'sources') : [single]
}

const ownCluster = /^(https:\/\/kubernetes\.default(\.svc)?\/?|in-cluster)$/

function destinationOf(spec: unknown, values: Values): Destination {
  const written = textAt(spec, 'destination', 'server') ?? textAt(spec, 'destination', 'name')
  const name = written === undefined ? '' : fill(written, values)
  if (name === '' || name.includes('{{') || isUnknown(name)) return { is: 'unknown' }
  return ownCluster.test(name) ? { is: 'same' } : { is: 'named', name }
}

function targetsOf(source: unknown, values: Values, file: string, search: Search): readonly Target[] {
  const written = textAt(source, 'path')
  const folders = written === undefined ? [] : foldersAt(search, file, fill(written, values))
  const is = valueAt(source, 'directory', 'recurse') === true ? 'tree' : 'folder'
  const files = textsAt(source, 'helm', 'valueFiles').flatMap((each) => {
    const name = fill(each, values)
    // A name such as `$values/prod/values.yaml` counts from the top of another source.
    if (name.startsWith('$')) return joined('', name.replace(/^\$[^/]*\//, '')) ?? []
    return folders.flatMap((folder) => joined(folder, name) ?? [])
  })
  return [...folders.map((path): Target => ({ is, path })), ...files.map((path): Target => ({ is: 'file', path }))]
}

/** An unknown value inside the path may be any name of a folder. A path that is unknown as a whole may be anything. */
function foldersAt(search: Search, file: string, path: string): readonly string[] {
  const glob = path.replace(marker, '*')
  if (glob === path) return [fromTop(search.tree, file, path) ?? []].flat()
  return /[^*/.]/.test(glob) ? matchFolders(search, glob) : []
}
