// Schemas of custom resources: what their definition says, with what every object has.
import { isObject } from '../../api/json.ts'
import type { Kind } from '../../api/kinds.ts'
import { addStruct } from './built-in-schema.ts'
import { type Components, reference, type Schema } from './schema.ts'

/** The schema's name, as Kubernetes forms it: the group backwards, the version, the kind. */
export function addCustom(kind: Kind, version: string, components: Components): string {
  const name = [...kind.group.split('.').reverse(), version, kind.kind].join('.')
  const own = kind.versions.find((served) => served.name === version)?.schema ?? { type: 'object' }
  const metadata = addStruct('ObjectMeta', components)
  components.set(name, {
    ...own,
    properties: {
      ...(isObject(own['properties']) ? own['properties'] : {}),
      apiVersion: { type: 'string', description: 'The version of the schema this object is written in.' },
      kind: { type: 'string', description: 'The kind of resource this object represents.' },
      metadata: {
        description: 'Standard object metadata.',
        ...(metadata === undefined ? { type: 'object' } : { allOf: [reference(metadata)] }),
      },
    } satisfies Schema,
  })
  return name
}
