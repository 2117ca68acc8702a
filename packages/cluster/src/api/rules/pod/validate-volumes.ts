// Validates volumes and their mounts (ValidateVolumes, ValidateVolumeMounts).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import {
  duplicate,
  type FieldError,
  invalidValue,
  notAllowed,
  notSupported,
  required,
  valueNotFound,
} from '../../values/field-error.ts'
import { dnsLabelProblems } from '../../values/names.ts'
import type { Container, Volume } from './pod-spec.ts'

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive'
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

/** Validates volumes. Returns also the names that mounts may use: those of volumes without an error. */
export function validateVolumes(
  volumes: readonly Volume[],
  field: string,
): { readonly errors: readonly FieldError[]; readonly names: ReadonlySet<string> } {
  const names = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`
    const { name = '' } = volume
    const found = [...validateSource(volume, at)]
    if (name === '') found.push(required(`${at}.name`))
    else found.push(...dnsLabelProblems(name).map((problem) => invalidValue(`${at}.name`, name, problem)))
    if (names.has(name)) found.push(duplicate(`${at}.name`, name))
    if (found.length === 0) names.add(name)
    errors.push(...found)
  }
  return { errors, names }
}

export function validateMounts(
  mounts: NonNullable<Container['volumeMounts']>,
  volumes: ReadonlySet<string>,
  field: string,
): readonly FieldError[] {
  const paths = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, mount] of mounts.entries()) {
    const at = `${field}[${index}]`
    const { name = '', mountPath = '', subPath = '', subPathExpr = '' } = mount
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(valueNotFound(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    errors.push(...validateDescendingPath(subPath, `${field}.subPath`))
    if (subPathExpr !== '' && subPath !== '') {
      errors.push(invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
    }
    errors.push(...validateDescendingPath(subPathExpr, `${field}.subPathExpr`))
  }
  return errors
}

function validateSource(volume: Volume, field: string): readonly FieldError[] {
  const [first, ...others] = Object.keys(volume).filter((part) => part !== 'name')
  if (first === undefined) return [required(field, 'must specify a volume type')]
  const errors = others.map((part) => notAllowed(`${field}.${part}`, 'may not specify more than 1 volume type'))
  const { secret, configMap, hostPath } = volume
  if (secret !== undefined) {
    if ((secret.secretName ?? '') === '') errors.push(required(`${field}.secret.secretName`))
    errors.push(...validateItems(secret, `${field}.secret`))
  }
  if (configMap !== undefined) {
    if ((configMap.name ?? '') === '') errors.push(required(`${field}.configMap.name`))
    errors.push(...validateItems(configMap, `${field}.configMap`))
  }
  if (hostPath !== undefined) errors.push(...validateHostPath(hostPath, `${field}.hostPath`))
  return errors
}

function validateItems(source: NonNullable<Volume['secret']>, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const { defaultMode = 0, items = [] } = source
  if (defaultMode < 0 || defaultMode > 0o777) errors.push(invalidValue(`${field}.defaultMode`, defaultMode, modeText))
  for (const [index, { key = '', path = '', mode = 0 }] of items.entries()) {
    const at = `${field}.items[${index}]`
    if (key === '') errors.push(required(`${at}.key`))
    if (path === '') errors.push(required(`${at}.path`))
    errors.push(...validateDescendingPath(path, `${at}.path`))
    if (mode < 0 || mode > 0o777) errors.push(invalidValue(`${at}.mode`, mode, modeText))
  }
  return errors
}

function validateHostPath(source: NonNullable<Volume['hostPath']>, field: string): readonly FieldError[] {
  const { path = '', type = '' } = source
  if (path === '') return [required(`${field}.path`)]
  const errors: FieldError[] = []
  if (path.split('/').includes('..')) errors.push(invalidValue(`${field}.path`, path, "must not contain '..'"))
  if (!hostPathTypes.includes(type)) errors.push(notSupported(`${field}.type`, type, hostPathTypes))
  return errors
}

/** Refuses a path that is absolute or leaves the volume. */
function validateDescendingPath(path: string, field: string): readonly FieldError[] {
  const errors = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []
  if (path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"))
  return errors
}
