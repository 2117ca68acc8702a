// Turns a client's value into a draft: checks it against the kind's fields and copies it, so that the draft shares
// nothing with the caller.
import type { StoredObject } from '../../store/object.ts'
import { badRequest, invalid } from '../errors.ts'
import { addAlways, DecodeError, decodeValue, isEmpty } from '../fields/decode-struct.ts'
import { type Struct, structOf } from '../fields/fields.ts'
import { apiVersionOf, type Kind, schemaOf, storageVersion } from '../kind.ts'
import type { RegistryWrite } from '../registry.ts'
import { prune } from '../structural/prune.ts'
import { invalidValue } from '../values/field-error.ts'
import { copyJson, field, isObject, type JsonObject, text } from '../values/json.ts'
import { refuseHuge } from './bounds.ts'
import type { Draft, DraftMeta } from './draft.ts'

/** Kubernetes reports no more unknown fields than this. */
const unknownMax = 100

type Decoded = {
  readonly draft: Draft
  /** The paths of fields that the kind does not have. They are not in the draft. */
  readonly unknown: readonly string[]
  readonly custom: boolean
}

/**
 * Decodes an object. Throws a 400 with Kubernetes' message for a wrong type, and for unknown fields if the write is
 * strict.
 * @param current The stored object. Parts that the input shares with it are not decoded again.
 */
export function decode(kind: Kind, input: object, write: RegistryWrite, current?: StoredObject): Draft {
  return reportUnknown(decodeOrExplain(kind, input, write, current), write, (problems) =>
    badRequest(`${cannotHandle(kind, kind.kind)}: strict decoding error: ${problems}`),
  )
}

/** Returns the draft. Refuses, reports or ignores its unknown and duplicate fields, as the write asks. */
export function reportUnknown(decoded: Decoded, write: RegistryWrite, refusal: (problems: string) => Error): Draft {
  const problems = problemsOf(decoded, write).slice(0, unknownMax)
  if (problems.length > 0 && write.fieldValidation === 'Strict') throw refusal(problems.join(', '))
  if (write.fieldValidation !== 'Ignore') for (const problem of problems) write.warn?.(problem)
  return decoded.draft
}

/** Kubernetes does not read what an unknown field contains. It checks the schema of a custom object last. */
function problemsOf({ unknown, custom }: Decoded, { duplicates = [] }: RegistryWrite): readonly string[] {
  const isUnread = (path: string): boolean =>
    unknown.some((each) => path === each || (/^[.[]/.test(path.slice(each.length)) && path.startsWith(each)))
  const twice = duplicates.filter(({ path }) => custom || !isUnread(path)).map(({ problem }) => problem)
  const strange = unknown.map((path) => `unknown field "${path}"`)
  return custom ? [...twice, ...strange] : [...strange, ...twice]
}

/** Decodes an object. Throws a DecodeError for a wrong type. */
export function decodeObject(kind: Kind, input: object, current?: StoredObject): Decoded {
  const unknown: string[] = []
  const struct = kind.custom ? undefined : structOf(kind.kind)
  const custom: Record<string, unknown> = {}
  const draft: Draft = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {} }
  for (const [name, value] of Object.entries(input)) {
    if (name === 'apiVersion' || name === 'kind' || value === undefined || value === null) continue
    if (name === 'metadata') draft.metadata = decodeMetadata(kind, value, current, unknown)
    else if (current !== undefined && value === current[name]) draft[name] = value
    else if (struct === undefined) custom[name] = value
    else if (struct.fields.has(name)) {
      const read = decodeTop(struct, name, value, unknown)
      if (struct.fields.get(name)?.empty !== 'dropped' || !isEmpty(read)) draft[name] = read
    } else unknown.push(name)
  }
  if (struct !== undefined) addAlways(struct, draft)
  else {
    Object.assign(draft, decodeCustom(kind, custom, versionOf(input), unknown))
    unknown.sort()
  }
  return { draft, unknown, custom: kind.custom }
}

function decodeOrExplain(kind: Kind, input: object, write: RegistryWrite, current?: StoredObject): Decoded {
  if (!isObject(input)) throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind})`)
  refuseHuge(kind, input, { write, prefix: cannotHandle(kind, kind.kind) })
  const { apiVersion, kind: name } = input
  if (
    typeof apiVersion === 'string' &&
    !kind.versions.some((version) => apiVersionOf(kind, version.name) === apiVersion)
  ) {
    throw badRequest(wrongVersion(kind, apiVersion))
  }
  if (typeof name === 'string' && name !== kind.kind) {
    if (kind.custom) {
      const named = text(input, 'metadata', 'name')
      throw invalid({ group: kind.group, kind: name }, named, [invalidValue('kind', name, `must be ${kind.kind}`)])
    }
    throw badRequest(`${cannotHandle(kind, name)}: converting (v1.${name}) to (core.${kind.kind}): unknown conversion`)
  }
  try {
    return decodeObject(kind, input, current)
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${cannotHandle(kind, kind.kind)}: ${error.message}`)
    throw error
  }
}

/** Keeps the fields that the schema of the object's own version defines. */
function decodeCustom(kind: Kind, parts: JsonObject, version: string | undefined, unknown: string[]): unknown {
  const schema = schemaOf(kind, version) ?? schemaOf(kind)
  return schema === undefined ? copyJson(parts) : prune(schema, parts, '', unknown)
}

function versionOf(input: object): string | undefined {
  const apiVersion = field(input, 'apiVersion')
  return typeof apiVersion === 'string' ? apiVersion.split('/').at(-1) : undefined
}

function wrongVersion(kind: Kind, given: string): string {
  if (kind.custom) {
    return `the API version in the data (${given}) does not match the expected API version (${apiVersionOf(kind)})`
  }
  const unknown = `no kind "${kind.kind}" is registered for version "${given}" in scheme "pkg/runtime/scheme.go:111"`
  return `${kind.kind} in version "${given.split('/').at(-1)}" cannot be handled as a ${kind.kind}: ${unknown}`
}

function cannotHandle(kind: Kind, given: string): string {
  return `${given} in version "${storageVersion(kind)}" cannot be handled as a ${kind.kind}`
}

function decodeTop(struct: Struct, name: string, value: unknown, unknown: string[]): unknown {
  const known = struct.fields.get(name)
  const place = { struct: struct.name, go: name, path: name }
  return known === undefined ? undefined : decodeValue(known.type, value, place, unknown)
}

function decodeMetadata(kind: Kind, value: unknown, current: StoredObject | undefined, unknown: string[]): DraftMeta {
  if (current !== undefined && value === current.metadata) return { ...current.metadata }
  const struct = structOf('ObjectMeta')
  // Go decodes the metadata of a custom object separately, so its messages name no field.
  const place = { struct: kind.kind, go: kind.custom ? '' : 'metadata', path: 'metadata' }
  if (struct === undefined) return {}
  const type = { is: 'struct', struct: struct.name, go: 'v1.ObjectMeta' } as const
  return decodeValue(type, value, place, unknown) as DraftMeta
}
