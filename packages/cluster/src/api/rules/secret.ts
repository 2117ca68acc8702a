// Secrets and ConfigMaps: their keys, their size, and immutability.
import type { StoredObject } from '../../store/object.ts'
import { type FieldError, invalidValue, notAllowed, required, tooLong } from '../values/field-error.ts'
import { type JsonObject, objectAt, sameJson } from '../values/json.ts'
import { configKeyProblems } from '../values/names.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

const bytesMax = 1024 * 1024

const requiredKeys: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
])

export const secretRules: Rules = {
  fill: (draft) => {
    draft['type'] ??= 'Opaque'
    const given = objectAt(draft, 'stringData')
    delete draft['stringData']
    const entries = Object.entries(given)
    if (entries.length === 0) return
    const encoded = entries.map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')])
    draft['data'] = { ...objectAt(draft, 'data'), ...Object.fromEntries(encoded) }
  },
  validate: validateSecret,
  validateUpdate: (draft, current) => {
    const errors = [...validateImmutable(draft, current, ['data'])]
    if (draft['type'] !== current['type']) errors.unshift(invalidValue('type', draft['type'], 'field is immutable'))
    return [...errors, ...validateSecret(draft)]
  },
}

export const configMapRules: Rules = {
  validate: validateConfigMap,
  validateUpdate: (draft, current) => [
    ...validateImmutable(draft, current, ['data', 'binaryData']),
    ...validateConfigMap(draft),
  ],
}

function validateSecret(draft: Draft): readonly FieldError[] {
  const data = objectAt(draft, 'data')
  const errors = [...validateKeys(data, 'data')]
  if (sizeOf(data, 0.75) > bytesMax) errors.push(tooLong('data', bytesMax))
  for (const key of requiredKeys.get(draft['type']) ?? []) {
    if (data[key] === undefined) errors.push(required(`data[${key}]`))
  }
  return errors
}

function validateConfigMap(draft: Draft): readonly FieldError[] {
  const [data, binaryData] = [objectAt(draft, 'data'), objectAt(draft, 'binaryData')]
  const errors = [...validateKeys(data, 'data'), ...validateKeys(binaryData, 'binaryData')]
  for (const key of Object.keys(data)) {
    if (!Object.hasOwn(binaryData, key)) continue
    errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
  }
  if (sizeOf(data, 1) + sizeOf(binaryData, 0.75) > bytesMax) errors.push(tooLong('', bytesMax))
  return errors
}

function validateImmutable(draft: Draft, current: StoredObject, parts: readonly string[]): readonly FieldError[] {
  if (current['immutable'] !== true) return []
  const changed = parts.filter((name) => !sameJson(draft[name], current[name]))
  if (draft['immutable'] !== true) changed.unshift('immutable')
  return changed.map((name) => notAllowed(name, 'field is immutable when `immutable` is set'))
}

function validateKeys(data: JsonObject, field: string): readonly FieldError[] {
  return Object.keys(data).flatMap((key) =>
    configKeyProblems(key).map((problem) => invalidValue(`${field}[${key}]`, key, problem)),
  )
}

/** @param share the bytes that one character encodes: 0.75 in base64. */
function sizeOf(data: JsonObject, share: number): number {
  return Object.values(data).reduce((sum: number, value) => sum + String(value).length * share, 0)
}
