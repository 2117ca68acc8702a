// The columns of quotas and classes.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import { field, integer, objectAt, text } from '../../api/values/json.ts'
import { age } from './age.ts'
import { ageColumn, column, nameColumn, type Printer } from './column.ts'

export const quotaPrinter: Printer = {
  columns: [
    nameColumn,
    column('Request', 'What the namespace uses, and how much it may use.'),
    column('Limit', 'The limits of its containers together, and how much they may be.'),
    ageColumn,
  ],
  cells: (object, now) => {
    const names = Object.keys(objectAt(object, 'status', 'hard')).sort()
    const shown = (isLimit: boolean): string =>
      names
        .filter((name) => name.startsWith('limits.') === isLimit)
        .map(
          (name) => `${name}: ${text(object, 'status', 'used', name) || '0'}/${text(object, 'status', 'hard', name)}`,
        )
        .join(', ')
    return [object.metadata.name, shown(false), shown(true), age(object.metadata.creationTimestamp, now)]
  },
}

export const priorityClassPrinter: Printer = {
  columns: [
    nameColumn,
    { ...column('Value', 'The priority of pods of the class.'), type: 'integer' },
    { ...column('Global-Default', 'Whether pods without a class get this one.'), type: 'boolean' },
    ageColumn,
    column('PreemptionPolicy', 'Whether pods of the class may displace others.'),
  ],
  cells: (object, now) => [
    object.metadata.name,
    integer(object, 'value'),
    field(object, 'globalDefault') === true,
    age(object.metadata.creationTimestamp, now),
    text(object, 'preemptionPolicy'),
  ],
}

export const runtimeClassPrinter: Printer = {
  columns: [nameColumn, column('Handler', 'The configuration of the runtime.'), ageColumn],
  cells: (object, now) => [object.metadata.name, text(object, 'handler'), age(object.metadata.creationTimestamp, now)],
}
