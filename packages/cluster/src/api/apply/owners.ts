// The clients that own fields of an object, as `metadata.managedFields` lists them.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
import { isObject, text } from '../values/json.ts'
import { difference, type FieldSet, isEmptySet, leafSet, sameSet, union, without } from './field-set.ts'
import type { SharedSets } from './shared-sets.ts'
import type { Difference } from './values.ts'

/** A writer: the name that the client gives, the operation, and the version and part of the object that it writes. */
export type Writer = {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

export type Manager = Writer & {
  readonly time: string | undefined
  readonly fields: FieldSet
  /** The entry's own fields, as they were read and as they are printed. */
  readonly read?: { readonly fields: FieldSet; readonly fieldsV1: unknown } | undefined
}

/** Returns undefined if the entries are malformed. */
export function readManagers(entries: readonly unknown[], sets: SharedSets): readonly Manager[] | undefined {
  const managers: Manager[] = []
  for (const entry of entries) {
    const operation = text(entry, 'operation')
    const fieldsV1 = isObject(entry) ? entry['fieldsV1'] : undefined
    const fields = sets.read(fieldsV1)
    if (fields === undefined || (operation !== 'Apply' && operation !== 'Update')) return undefined
    const { manager, apiVersion, subresource, time } = {
      manager: text(entry, 'manager'),
      apiVersion: text(entry, 'apiVersion'),
      subresource: text(entry, 'subresource'),
      time: text(entry, 'time'),
    }
    const about = { time: time === '' ? undefined : time, fields, read: { fields, fieldsV1 } }
    managers.push({ manager, operation, apiVersion, subresource, ...about })
  }
  return managers
}

export function printManagers(managers: readonly Manager[], sets: SharedSets): readonly object[] {
  return [...managers].sort(inOrder).map(({ manager, operation, apiVersion, subresource, time, fields, read }) => ({
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: read?.fields === fields ? read.fieldsV1 : sets.print(fields),
    ...(subresource === '' ? {} : { subresource }),
  }))
}

function inOrder(one: Manager, other: Manager): number {
  const keys = (of: Manager) => [of.operation, of.time ?? '', of.manager, of.apiVersion, of.subresource]
  const [left, right] = [keys(one), keys(other)]
  const at = left.findIndex((key, index) => key !== right[index])
  if (at < 0) return 0
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1
}

/** Returns whether an entry is the writer's own. A client that applies has one entry for all versions. */
export function isOf(writer: Writer, { manager, operation, apiVersion, subresource }: Manager): boolean {
  const sameVersion = operation === 'Apply' || apiVersion === writer.apiVersion
  const sameName = manager === writer.manager && subresource === writer.subresource
  return sameName && operation === writer.operation && sameVersion
}

/** The fields that no client owns: the server sets them, or they name the object. */
const unowned: FieldSet = {
  member: false,
  children: new Map([
    ['f:apiVersion', leafSet],
    ['f:kind', leafSet],
    [
      'f:metadata',
      {
        member: true,
        children: new Map(
          [
            'name',
            'namespace',
            'creationTimestamp',
            'selfLink',
            'uid',
            'clusterName',
            'generation',
            'managedFields',
            'resourceVersion',
          ].map((name) => [`f:${name}`, leafSet]),
        ),
      },
    ],
  ]),
}

/** Returns the fields that a writer of this part of the object owns. */
export function owned(fields: FieldSet, ignored: FieldSet): FieldSet {
  return difference(without(fields, ignored), unowned)
}

/** Takes changed and removed fields away from every other client. Clients that own nothing are dropped. */
export function takeOver(managers: readonly Manager[], writer: Writer, change: Difference): readonly Manager[] {
  const lost = union(union(change.added, change.modified), change.removed)
  return managers
    .map((manager) => (isOf(writer, manager) ? manager : { ...manager, fields: difference(manager.fields, lost) }))
    .filter(({ fields }) => !isEmptySet(fields))
}

type Update = { readonly writer: Writer; readonly change: Difference; readonly ignored: FieldSet; readonly now: string }

/** Returns the clients after a write that is no apply. */
export function afterUpdate(
  managers: readonly Manager[],
  { writer, change, ignored, now }: Update,
): readonly Manager[] {
  const others = takeOver(managers, writer, change).filter((manager) => !isOf(writer, manager))
  const before = managers.find((manager) => isOf(writer, manager))
  const own = owned(union(change.added, change.modified), ignored)
  const kept = difference(before?.fields ?? { member: false, children: new Map() }, change.removed)
  const fields = union(kept, own)
  if (isEmptySet(fields)) return others
  const unchanged = before !== undefined && isEmptySet(own) && sameSet(before.fields, fields)
  return [...others, { ...writer, time: unchanged ? before.time : now, fields, read: before?.read }]
}
