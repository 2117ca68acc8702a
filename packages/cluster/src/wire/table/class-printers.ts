// The columns of quotas, limits, classes and autoscalers.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import { field, integer, list, objectAt, text } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'
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

export const autoscalerPrinter: Printer = {
  columns: [
    nameColumn,
    column('Reference', 'The workload that is scaled.'),
    column('Targets', 'The current and the wanted value of each metric.'),
    column('MinPods', 'The minimum number of pods.'),
    column('MaxPods', 'The maximum number of pods.'),
    column('Replicas', 'The current number of pods.'),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name,
    `${text(object, 'spec', 'scaleTargetRef', 'kind')}/${text(object, 'spec', 'scaleTargetRef', 'name')}`,
    targets(object),
    String(field(object, 'spec', 'minReplicas') ?? '<unset>'),
    integer(object, 'spec', 'maxReplicas'),
    integer(object, 'status', 'currentReplicas'),
    age(object.metadata.creationTimestamp, now),
  ],
}

/** Nothing measures a metric here, so no current value is known. */
function targets(object: StoredObject): string {
  const metrics = list(object, 'spec', 'metrics').map((metric) => {
    const type = text(metric, 'type')
    const source = objectAt(metric, `${type.charAt(0).toLowerCase()}${type.slice(1)}`)
    const name = text(source, 'name')
    const percent = field(source, 'target', 'averageUtilization')
    const wanted = text(source, 'target', 'averageValue') || text(source, 'target', 'value')
    return `${name === '' ? '' : `${name}: `}<unknown>/${wanted || (percent === undefined ? '<auto>' : `${percent}%`)}`
  })
  if (metrics.length === 0) return '<none>'
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : ''
  return `${metrics.slice(0, 2).join(', ')}${more}`
}
