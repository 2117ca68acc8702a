// From a client's value to a draft of ours: checked against the kind, copied, nothing shared with the caller.
import type { Draft } from './draft.ts'
import { badRequest } from './errors.ts'
import { copyJson, isObject } from './json.ts'
import { apiVersionOf, type Kind, storageVersion } from './kinds.ts'

export function decode(kind: Kind, input: object): Draft {
  const copy = copyJson(input)
  if (!isObject(copy)) throw badRequest(`${kind.kind} must be an object`)
  const { metadata } = copy
  const version = storageVersion(kind)
  if (copy['kind'] !== undefined && copy['kind'] !== kind.kind) {
    throw badRequest(`${kind.kind} in version "${version}" cannot be handled as a ${String(copy['kind'])}`)
  }
  return {
    ...copy,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: isObject(metadata) ? { ...metadata } : {},
  }
}
