// Validates a container's environment (ValidateEnv, ValidateEnvFrom).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import { type FieldError, invalidValue, notSupported, required } from '../../values/field-error.ts'
import { configKeyProblems, dnsSubdomainProblems, envNameProblems, qualifiedNameProblems } from '../../values/names.ts'
import type { Container, EnvVar, KeyRef } from './pod-spec.ts'

const fieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
const resourcePaths = ['cpu', 'ephemeral-storage', 'memory']
  .flatMap((name) => [`limits.${name}`, `requests.${name}`])
  .sort()

/** @param sources the sources that this version supports, as its message lists them. */
export function validateEnv(vars: readonly EnvVar[], field: string, sources: string): readonly FieldError[] {
  return vars.flatMap((variable, index) => {
    const at = `${field}[${index}]`
    const { name = '' } = variable
    const errors =
      name === ''
        ? [required(`${at}.name`)]
        : envNameProblems(name).map((problem) => invalidValue(`${at}.name`, name, problem))
    return [...errors, ...validateValueFrom(variable, `${at}.valueFrom`, sources)]
  })
}

export function validateEnvFrom(vars: NonNullable<Container['envFrom']>, field: string): readonly FieldError[] {
  return vars.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`
    const errors = envNameProblems(prefix).map((problem) => invalidValue(`${at}.prefix`, prefix, problem))
    for (const [kind, ref] of Object.entries({ configMapRef, secretRef })) {
      if (ref !== undefined) errors.push(...validateName(ref.name ?? '', `${at}.${kind}.name`))
    }
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'))
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'))
    }
    return errors
  })
}

function validateValueFrom(variable: EnvVar, field: string, sources: string): readonly FieldError[] {
  const { value = '', valueFrom } = variable
  if (valueFrom === undefined) return []
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  const errors: FieldError[] = []
  if (fieldRef !== undefined) errors.push(...validateFieldRef(fieldRef.fieldPath ?? '', `${field}.fieldRef`))
  if (resourceFieldRef !== undefined) {
    errors.push(...validateResourceRef(resourceFieldRef.resource ?? '', `${field}.resourceFieldRef`))
  }
  if (configMapKeyRef !== undefined) errors.push(...validateKeyRef(configMapKeyRef, `${field}.configMapKeyRef`))
  if (secretKeyRef !== undefined) errors.push(...validateKeyRef(secretKeyRef, `${field}.secretKeyRef`))
  const count = Object.values(valueFrom).filter((source) => source !== undefined).length
  if (count === 0) errors.push(invalidValue(field, '', `must specify one of: ${sources}`))
  else if (value !== '') errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'))
  else if (count > 1) errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'))
  return errors
}

function validateFieldRef(path: string, field: string): readonly FieldError[] {
  const at = `${field}.fieldPath`
  if (path === '') return [required(at)]
  const [, base = path, key] = /^(.*)\['(.*)'\]$/.exec(path) ?? []
  if (key !== undefined) {
    if (base === 'metadata.annotations' || base === 'metadata.labels') {
      const name = base === 'metadata.annotations' ? key.toLowerCase() : key
      return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem))
    }
    return [invalidValue(at, path, `error converting fieldPath: field label not supported: ${path}`)]
  }
  if (fieldPaths.includes(path)) return []
  if (path === 'metadata.labels' || path === 'metadata.annotations') return [notSupported(at, path, fieldPaths)]
  return [invalidValue(at, path, `error converting fieldPath: field label not supported: ${path}`)]
}

function validateResourceRef(resource: string, field: string): readonly FieldError[] {
  if (resource === '') return [required(`${field}.resource`)]
  if (resourcePaths.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) return []
  return [notSupported(`${field}.resource`, resource, resourcePaths)]
}

function validateKeyRef({ name = '', key = '' }: KeyRef, field: string): readonly FieldError[] {
  const errors = dnsSubdomainProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))
  if (key === '') return [...errors, required(`${field}.key`)]
  return [...errors, ...configKeyProblems(key).map((problem) => invalidValue(`${field}.key`, key, problem))]
}

function validateName(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)]
  return dnsSubdomainProblems(name).map((problem) => invalidValue(field, name, problem))
}
