// Schemas of custom resources: the definition's schema and the fields that every object has.
import { isObject } from '../../api/json.ts'
import type { Kind } from '../../api/kinds.ts'
import { addStruct } from './built-in-schema.ts'
import { type Components, reference, type Schema } from './schema.ts'

/**
 * Adds the schema of a custom kind. Returns its name, in Kubernetes' form: the reversed group, the version, the kind.
 */
export function addCustom(kind: Kind, version: string, components: Components): string {
  const name = [...kind.group.split('.').reverse(), version, kind.kind].join('.')
  const own = kind.versions.find((served) => served.name === version)?.schema ?? { type: 'object' }
  const metadata = addStruct('ObjectMeta', components)
  components.set(name, {
    ...own,
    properties: {
      ...(isObject(own['properties']) ? own['properties'] : {}),
      apiVersion: { type: 'string', description: 'The API version of this object.' },
      kind: { type: 'string', description: 'The kind of this object.' },
      metadata: {
        description: 'Standard object metadata.',
        ...(metadata === undefined ? { type: 'object' } : { allOf: [reference(metadata)] }),
      },
    } satisfies Schema,
  })
  return name
}
