// One invalid field, in Kubernetes' words: the body of a message and the reason of its cause.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go

export type FieldError = { readonly reason: string; readonly field: string; readonly body: string }

export function required(field: string, detail = ''): FieldError {
  return fieldError('FieldValueRequired', field, 'Required value', detail)
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, `Invalid value: ${show(value)}`, detail)
}

/** Like `invalidValue`, for a value that is too long to repeat in the message. */
export function omitted(field: string, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, 'Invalid value', detail)
}

/** The value does not have the type that the schema requires. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', field, `Invalid value: ${show(value)}`, detail)
}

/** @param supported the values in the order in which the message lists them. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((item) => JSON.stringify(item)).join(', ')
  const detail = supported.length === 0 ? '' : `supported values: ${list}`
  return fieldError('FieldValueNotSupported', field, `Unsupported value: ${show(value)}`, detail)
}

export function notAllowed(field: string, detail: string): FieldError {
  return fieldError('FieldValueForbidden', field, 'Forbidden', detail)
}

export function valueNotFound(field: string, value: unknown): FieldError {
  return fieldError('FieldValueNotFound', field, `Not found: ${show(value)}`, '')
}

export function duplicate(field: string, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', field, `Duplicate value: ${show(value)}`, '')
}

/** @param bytes the maximum size in bytes. */
export function tooLong(field: string, bytes: number): FieldError {
  return fieldError(
    'FieldValueTooLong',
    field,
    'Too long',
    `may not be more than ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`,
  )
}

/** @param most the maximum number of items. */
export function tooMany(field: string, count: number, most: number): FieldError {
  return fieldError(
    'FieldValueTooMany',
    field,
    `Too many: ${count}`,
    `must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  )
}

function fieldError(reason: string, field: string, body: string, detail: string): FieldError {
  return { reason, field, body: detail === '' ? body : `${body}: ${detail}` }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
