// What a pod asks for and a runtime without isolation does not give: said in an event, so that nobody trusts it.
import { field, isObject } from '../api/json.ts'
import type { Pod } from './pod.ts'

/** For example `runner: securityContext.runAsUser, resources.limits`; empty where nothing is asked for. */
export function unenforced({ spec }: Pod): readonly string[] {
  const own = namesOf(spec, 'securityContext')
  const containers = [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => {
    const names = [...namesOf(container, 'securityContext'), ...(limits(container) ? ['resources.limits'] : [])]
    return names.length > 0 ? [`${container.name}: ${names.join(', ')}`] : []
  })
  return own.length > 0 ? [`pod: ${own.join(', ')}`, ...containers] : containers
}

function namesOf(value: object, part: string): readonly string[] {
  const settings = field(value, part)
  return Object.keys(isObject(settings) ? settings : {}).map((name) => `${part}.${name}`)
}

function limits(container: object): boolean {
  const found = field(container, 'resources', 'limits')
  return isObject(found) && Object.keys(found).length > 0
}
