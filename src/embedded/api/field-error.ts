// What is wrong with one field, in Kubernetes' words (apimachinery, util/validation/field): the body of a message and the cause's reason.

export type FieldError = { readonly reason: string; readonly field: string; readonly body: string }

export function required(field: string, detail = ''): FieldError {
  return fieldError('FieldValueRequired', field, 'Required value', detail)
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, `Invalid value: ${show(value)}`, detail)
}

/** As `invalidValue`, for what would be too long to repeat. */
export function omitted(field: string, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, 'Invalid value', detail)
}

/** A value of another type than the schema's. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', field, `Invalid value: ${show(value)}`, detail)
}

/** @param supported in the order in which the message lists them. */
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

/** @param bytes the most that may stand there. */
export function tooLong(field: string, bytes: number): FieldError {
  return fieldError(
    'FieldValueTooLong',
    field,
    'Too long',
    `may not be more than ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`,
  )
}

/** @param most the most items that may stand there. */
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
