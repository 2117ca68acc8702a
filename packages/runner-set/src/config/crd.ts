// Builds the CustomResourceDefinition of RunnerSet from the schema in spec-schema.ts (docs/decisions/0002-one-schema.md).
import * as z from 'zod'
import { apiGroup, apiVersion } from '../model/api.ts'
import { relations } from './relations.ts'
import { nameLengthMax, runnerSetSpecSchema } from './spec-schema.ts'
import { statusSchema } from './status-schema.ts'

type Schema = Record<string, unknown>

/** Returns the CustomResourceDefinition to apply. */
export function runnerSetCrd() {
  const names = {
    plural: 'runnersets',
    singular: 'runnerset',
    kind: 'RunnerSet',
    listKind: 'RunnerSetList',
    shortNames: ['rset'],
    categories: ['dayfly'],
  }
  const version = {
    name: apiVersion,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: printerColumns,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description: 'A kind of ephemeral CI runner. Each runner executes at most one job.',
        required: ['spec'],
        properties: { metadata: metadataSchema, spec: specWithRules(), status: statusSchema },
      },
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${apiGroup}` },
    spec: { group: apiGroup, scope: 'Namespaced', names, versions: [version] },
  }
}

const printerColumns = [
  { name: 'Demand', type: 'integer', jsonPath: '.status.demand' },
  { name: 'Idle', type: 'integer', jsonPath: '.status.idle' },
  { name: 'Busy', type: 'integer', jsonPath: '.status.busy' },
  { name: 'Pending', type: 'integer', jsonPath: '.status.pending' },
  { name: 'Failed', type: 'integer', jsonPath: '.status.failed' },
  { name: 'Max', type: 'integer', jsonPath: '.spec.scale.max' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.lastReason' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Message', type: 'string', jsonPath: '.status.lastMessage', priority: 1 },
  { name: 'Paused', type: 'boolean', jsonPath: '.spec.paused', priority: 1 },
]

const metadataSchema = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: nameLengthMax } },
}

/** Returns the schema of `spec` with its rules. */
function specWithRules(): Schema {
  const spec = structural(z.toJSONSchema(runnerSetSpecSchema, { target: 'openapi-3.0', io: 'input' }) as Schema)
  for (const { level, rule, fieldPath, message } of relations) {
    const schema = level
      .slice(1)
      .reduce((outer, name) => (outer['properties'] as Record<string, Schema>)[name] ?? {}, spec)
    const known = (schema['x-kubernetes-validations'] ?? []) as readonly Schema[]
    schema['x-kubernetes-validations'] = [
      ...known,
      { rule, message, ...(fieldPath === undefined ? {} : { fieldPath }) },
    ]
  }
  return spec
}

/** Converts a JSON schema to a structural schema: no `additionalProperties` next to `properties`. An open object keeps unknown fields. */
function structural(schema: Schema): Schema {
  const { additionalProperties, properties, items, propertyNames: _names, $schema: _dialect, ...rest } = schema
  const values = additionalProperties && properties === undefined ? (additionalProperties as Schema) : {}
  const isMap = values['type'] !== undefined
  const isOpen = additionalProperties !== undefined && additionalProperties !== false && !isMap
  return {
    ...rest,
    ...(isOpen ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(isMap ? { additionalProperties: structural(values) } : {}),
    ...(properties ? { properties: mapValues(properties as Record<string, Schema>, structural) } : {}),
    ...(items ? { items: structural(items as Schema) } : {}),
  }
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
