// Removes secrets from an object before it is written to a file. The rest is enough to create the object again.
import type { JsonObject } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'

const redacted = '(redacted)'

/** Replaces the data of Secrets and values with names of credentials. Drops copies of the object inside itself. */
export function redact(object: KubeObject): KubeObject {
  const { managedFields: _fields, ...metadata } = object.metadata as KubeObject['metadata'] & JsonObject
  const { 'kubectl.kubernetes.io/last-applied-configuration': _copy, ...annotations } = metadata.annotations ?? {}
  const kept = { ...object, metadata: { ...metadata, ...(metadata.annotations ? { annotations } : {}) } }
  const data = object.kind === 'Secret' ? { ...blank(kept, 'data'), ...blank(kept, 'stringData') } : {}
  return { ...(walk({ ...kept, metadata: {} }) as JsonObject), metadata: walk(kept.metadata), ...data } as KubeObject
}

/** Keeps the names of the entries. */
function blank(object: JsonObject, field: 'data' | 'stringData'): JsonObject {
  const values = object[field]
  if (typeof values !== 'object' || values === null) return {}
  return { [field]: Object.fromEntries(Object.keys(values).map((key) => [key, redacted])) }
}

function walk(value: unknown): unknown {
  if (typeof value === 'string') return withoutCredentials(value)
  if (Array.isArray(value)) return value.map((item, index) => (isFlag(value[index - 1]) ? redacted : walk(item)))
  if (typeof value !== 'object' || value === null) return value
  const { name, value: own } = value as JsonObject
  const isVariable = typeof name === 'string' && typeof own === 'string'
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const hides = isVariable && key === 'value' ? variable.test(name) : field.test(key)
      return [key, hides && typeof item === 'string' ? redacted : walk(item)]
    }),
  )
}

const words = 'password|passwd|token|secret|credential|api[_-]?key|private[_-]?key|access[_-]?key|jit[_-]?config'
const variable = new RegExp(words, 'i')
/** The name of a Secret is not secret, and shows where to look. */
const field = new RegExp(`(${words.replace('|secret', '')})$`, 'i')
const flag = new RegExp(`^--?[\\w-]{0,64}(${words})[\\w-]{0,64}$`, 'i')
const assignment = new RegExp(
  `((?:--?)?[\\w-]{0,64}(?:${words})[\\w-]{0,64}\\s*=\\s*|--[\\w-]{0,64}(?:${words})[\\w-]{0,64}\\s+)("[^"]*"|'[^']*'|[^\\s;&|]+)`,
  'gi',
)

function isFlag(item: unknown): boolean {
  return typeof item === 'string' && flag.test(item)
}

/** Replaces credentials in command lines and URLs. */
function withoutCredentials(text: string): string {
  return text.replace(assignment, `$1${redacted}`).replace(/(:\/\/)[^/\s@]{1,1024}@/g, `$1${redacted}@`)
}
