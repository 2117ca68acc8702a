// A kind that the API server serves: its names, versions and verbs.
import type { ResourceKey, StoredObject } from '../store/object.ts'
import type { Shape } from './apply/shape.ts'
import type { RuleTree } from './structural/cel/rule-tree.ts'
import type { Schema } from './structural/schema.ts'

export type PrinterColumn = {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export type KindVersion = {
  readonly name: string
  readonly served: boolean
  /** Objects are stored in the one version that has this set. */
  readonly storage: boolean
  /** Custom resources only: the structural schema as given (OpenAPI v3) and as applied, and the table's columns. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly structure?: Schema
  /** How the schema lets several clients own parts of an object. */
  readonly shape?: Shape
  /** The rules of the schema that apply to whole objects, compiled. */
  readonly rules?: RuleTree | undefined
  readonly columns?: readonly PrinterColumn[]
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** The verbs in Kubernetes' order. */
export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

export type Subresource = 'status' | 'log' | 'exec' | 'binding' | 'eviction' | 'finalize' | 'token' | 'scale'

export type Kind = {
  readonly resource: ResourceKey
  /** The API group; empty for the core group. */
  readonly group: string
  readonly versions: readonly KindVersion[]
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** The verbs that clients may use. */
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  /**
   * The field selectors besides `metadata.name` and `metadata.namespace`, with a function that reads the compared
   * value.
   */
  readonly selectable: Readonly<Record<string, (object: StoredObject) => string>>
  /** The propagation policy of a DELETE that does not name one. */
  readonly deletion: 'Background' | 'Orphan'
  /** A PUT without resourceVersion overwrites the object. If false, the server refuses it. */
  readonly unconditionalUpdate: boolean
  /** A PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean
  /** Names the kind that a client uses instead, if nothing starts the pods of this one. */
  readonly instead?: string | undefined
  /** A CustomResourceDefinition defines the kind. */
  readonly custom: boolean
}

export interface Kinds {
  get(resource: ResourceKey): Kind | undefined
  /** Returns the kind of this name that is served in this version. */
  ofType(apiVersion: string, kind: string): Kind | undefined
  all(): readonly Kind[]
  add(kind: Kind): void
  remove(resource: ResourceKey): void
}

/** Returns the version in which objects of the kind are stored. */
export function storageVersion(kind: Kind): string {
  return (kind.versions.find((version) => version.storage) ?? kind.versions[0])?.name ?? ''
}

/** Returns the structural schema of a custom kind in a version. */
export function schemaOf(kind: Kind, version: string = storageVersion(kind)): Schema | undefined {
  return kind.versions.find((candidate) => candidate.name === version)?.structure
}

/** Returns the compiled rules of a custom kind's stored version. */
export function ruleTreeOf(kind: Kind): RuleTree | undefined {
  return kind.versions.find((candidate) => candidate.storage)?.rules
}

/** Returns `v1` or `coordination.k8s.io/v1`. */
export function apiVersionOf(kind: Kind, version: string = storageVersion(kind)): string {
  return kind.group === '' ? version : `${kind.group}/${version}`
}

/** Returns the object as clients of a version see it. All versions of a kind have the same shape. */
export function atVersion(object: StoredObject, kind: Kind, version: string): StoredObject {
  const apiVersion = apiVersionOf(kind, version)
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}
