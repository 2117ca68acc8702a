// Finds ttlSecondsAfterFinished in a Job, a CronJob or a pod, at the right place or a wrong one.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, type JsonObject, listAt, valueAt } from '@dayfly/kit/read-json'

export const ttlField = 'ttlSecondsAfterFinished'

/** The keys that lead to the fields of a Job, a CronJob and their pod. */
const holders = ['metadata', 'spec', 'template', 'jobTemplate'] as const

/** Returns the paths of the mappings that hold the field. */
export function ttlHolders(fields: JsonObject, path: Path = []): readonly Path[] {
  const found: Path[] = fields[ttlField] === undefined ? [] : [path]
  for (const holder of holders) {
    const below = fieldsAt(fields, holder)
    if (below) found.push(...ttlHolders(below, [...path, holder]))
  }
  for (const list of ['initContainers', 'containers']) {
    for (const [index, container] of listAt(fields, list).entries()) {
      if (valueAt(container, ttlField) !== undefined) found.push([...path, list, index])
    }
  }
  return found
}
