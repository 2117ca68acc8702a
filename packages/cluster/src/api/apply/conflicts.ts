// The 409 of server-side apply: other clients own fields that this one wants to change.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go
import { ApiError } from '../errors.ts'
import { type FieldSet, intersection, pathsOf, printPath, union } from './field-set.ts'
import { isOf, type Manager, type Writer } from './owners.ts'
import type { Difference } from './values.ts'

type Conflict = { readonly manager: string; readonly path: string }

/** Throws a 409 if the change touches fields of other clients. */
export function refuseConflicts(managers: readonly Manager[], writer: Writer, change: Difference): void {
  const wanted: FieldSet = union(change.added, change.modified)
  const conflicts = managers
    .filter((manager) => !isOf(writer, manager))
    .flatMap((manager) =>
      pathsOf(intersection(manager.fields, wanted)).map((path) => ({
        manager: describe(manager),
        path: printPath(path),
      })),
    )
  if (conflicts.length > 0) throw conflictError(conflicts)
}

function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field: path,
  }))
  return new ApiError(409, 'Conflict', messageOf(conflicts), { causes })
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts
  if (conflicts.length === 1) return `Apply failed with 1 conflict: conflict with ${first?.manager}: ${first?.path}`
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].sort()
  const lines = managers.flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...conflicts.filter((conflict) => conflict.manager === manager).map(({ path }) => `- ${path}`),
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

function describe({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource "${subresource}"`}`
  if (operation === 'Apply') return name
  return `${name} using ${apiVersion}`
}
