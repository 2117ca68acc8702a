// A schema object of OpenAPI, as far as Kubernetes' documents use it.

export type Schema = { readonly [keyword: string]: unknown }

/** Schemas by the names that other schemas use to refer to them. */
export type Components = Map<string, Schema>

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}
