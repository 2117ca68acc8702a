// A table's column, and the type that turns objects into rows.
import type { Instant } from '@dayfly/kit/clock'
import type { StoredObject } from '../../store/object.ts'

/** A TableColumnDefinition of meta/v1. Only `kubectl get -o wide` shows columns of priority 1. */
export type Column = {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

export type Cell = string | number | boolean | null

export type Printer = {
  readonly columns: readonly Column[]
  cells(object: StoredObject, now: Instant): readonly Cell[]
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  priority: 0,
}
export const ageColumn = column('Age', 'The time since the object was created.')

export function column(name: string, description: string, priority = 0): Column {
  return { name, type: 'string', format: '', description, priority }
}
