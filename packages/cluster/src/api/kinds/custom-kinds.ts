// Serves the kinds that CustomResourceDefinitions define. Deleting a definition deletes its objects first.
import { timestamp } from '@dayfly/kit/timestamp'
import type { StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import { customShape } from '../apply/custom-shape.ts'
import { allVerbs, type Kind, type KindVersion, type PrinterColumn } from '../kind.ts'
import { cleanupFinalizer, establishedStatus, versionsOf } from '../rules/custom-resource-definition.ts'
import { compileSchema } from '../structural/cel/compile-schema.ts'
import { field, type JsonObject, objectAt, sameJson, text } from '../values/json.ts'
import { remove } from '../verbs/delete.ts'

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

/** Adds, updates and removes kinds as definitions change in the store. */
export function followDefinitions(api: Api): void {
  const followed = new Map<string, () => void>()
  api.store.subscribe(definitions, ({ type, object, before }) => {
    const { name, deletionTimestamp } = object.metadata
    if (type === 'DELETED') {
      followed.get(name)?.()
      followed.delete(name)
      api.kinds.remove(name)
      return
    }
    // Its status and its metadata say nothing about its kind, and the compilation of its rules takes milliseconds.
    if (object['spec'] !== before?.['spec']) api.kinds.add(kindFrom(object))
    establish(api, object)
    if (deletionTimestamp === undefined || followed.has(name)) return
    followed.set(
      name,
      api.store.subscribe(name, () => releaseWhenEmpty(api, name)),
    )
    deleteObjects(api, name)
    releaseWhenEmpty(api, name)
  })
}

/** Writes into the definition's status that its kind is served under these names. */
function establish(api: Api, definition: StoredObject): void {
  const accepted = field(definition, 'status', 'acceptedNames')
  if (sameJson(accepted, field(definition, 'spec', 'names'))) return
  const current = api.store.get(definitions, definition.metadata.name)
  if (current !== definition) return
  api.store.put(definitions, { ...definition, status: establishedStatus(definition, timestamp(api.clock.now())) })
}

/** Returns the kind that a definition describes. */
function kindFrom(definition: StoredObject): Kind {
  const names = objectAt(definition, 'spec', 'names')
  const group = text(definition, 'spec', 'group')
  const versions = versionsOf(definition)
  const storage = versions.find((version) => version['storage'] === true)
  const hasStatus = field(storage, 'subresources', 'status') !== undefined
  return {
    resource: definition.metadata.name,
    group,
    versions: versions.map(versionFrom),
    kind: text(names, 'kind'),
    listKind: text(names, 'listKind'),
    plural: text(names, 'plural'),
    singular: text(names, 'singular'),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
    namespaced: field(definition, 'spec', 'scope') === 'Namespaced',
    verbs: allVerbs,
    subresources: hasStatus ? ['status'] : [],
    selectable: selectableOf(storage),
    deletion: 'Background',
    unconditionalUpdate: false,
    createOnUpdate: false,
    custom: true,
  }
}

function versionFrom(version: JsonObject): KindVersion {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema')
  const { structure, tree } = compileSchema(schema)
  const columns = version['additionalPrinterColumns']
  return {
    name: text(version, 'name'),
    served: version['served'] === true,
    storage: version['storage'] === true,
    schema,
    structure,
    shape: customShape(schema),
    rules: tree,
    // validateDefinition has checked the columns.
    ...(Array.isArray(columns) ? { columns: columns as readonly PrinterColumn[] } : {}),
  }
}

function selectableOf(version: JsonObject | undefined): Kind['selectable'] {
  const fields = field(version, 'selectableFields')
  if (!Array.isArray(fields)) return {}
  return Object.fromEntries(
    fields.map((selectable) => {
      const path = text(selectable, 'jsonPath').replace(/^\./, '')
      return [path, (object: StoredObject) => scalarText(field(object, ...path.split('.')))]
    }),
  )
}

/** Selectors compare strings, numbers and flags. Other values have no text. */
function scalarText(value: unknown): string {
  return typeof value === 'object' ? '' : String(value ?? '')
}

function deleteObjects(api: Api, resource: string): void {
  for (const { metadata } of api.store.list(resource)) {
    remove(api, resource, { namespace: metadata.namespace, name: metadata.name }, {})
  }
}

/** Removes the cleanup finalizer when the last object of the kind is gone. */
function releaseWhenEmpty(api: Api, name: string): void {
  const definition = api.store.get(definitions, name)
  const finalizers = definition?.metadata.finalizers ?? []
  if (definition === undefined || api.store.list(name).length > 0 || !finalizers.includes(cleanupFinalizer)) return
  const rest = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer)
  if (rest.length > 0)
    api.store.put(definitions, { ...definition, metadata: { ...definition.metadata, finalizers: rest } })
  else api.store.remove(definitions, name)
}

function textsAt(of: unknown, name: string): readonly string[] {
  const value = field(of, name)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
