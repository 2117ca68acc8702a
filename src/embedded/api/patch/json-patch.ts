// JSON patch (RFC 6902). Each operation returns a new document that shares unchanged parts with the old one.
import { ApiError, badRequest, tooLarge } from '../errors.ts'
import { isObject, type JsonObject, jsonType, sameJson } from '../json.ts'

const operationsMax = 10_000
/** The number of characters that `copy` may add to a document. Repeated doubling would exhaust the memory. */
const copiedMax = 3 * 1024 * 1024

/**
 * Applies the operations. Throws a 400 for a malformed patch, a 413 for too many operations, a 422 for one that does
 * not fit.
 */
export function applyJsonPatch(document: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    const found = `json: cannot unmarshal ${jsonType(operations)} into Go value of type []handlers.jsonPatchOp`
    throw badRequest(`error decoding patch: ${found}`)
  }
  if (operations.length > operationsMax) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`)
  }
  let result: unknown = document
  let copied = 0
  for (const operation of operations) {
    if (!isObject(operation)) throw badRequest('Invalid JSON Patch')
    if (operation['op'] === 'copy') copied += JSON.stringify(read(result, operation['from'])).length
    if (copied > copiedMax) throw patchFailed()
    result = applyOperation(result, operation)
  }
  return result
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const { op, path, from, value } = operation
  const steps = stepsOf(path)
  switch (op) {
    case 'add':
      if (value === undefined) throw patchFailed()
      return add(document, steps, value)
    case 'remove':
      return change(document, steps, withoutMember)
    case 'replace':
      if (value === undefined) throw patchFailed()
      if (steps.length === 0) return value
      return change(document, steps, (container, step) => {
        member(container, step)
        return withMember(container, step, value)
      })
    case 'test': {
      const found = steps.length === 0 ? document : memberOrNull(document, steps)
      if (!sameJson(found ?? null, value ?? null)) throw patchFailed()
      return document
    }
    case 'copy':
      return add(document, steps, read(document, from))
    case 'move': {
      const moved = read(document, from)
      return add(change(document, stepsOf(from), withoutMember), steps, moved)
    }
    default:
      throw patchFailed()
  }
}

/** Returns the steps of a JSON pointer (RFC 6901). */
function stepsOf(pointer: unknown): readonly string[] {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) throw patchFailed()
  const steps = pointer.split('/').slice(1)
  if (steps.includes('__proto__')) throw patchFailed()
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(document: unknown, pointer: unknown): unknown {
  return stepsOf(pointer).reduce(member, document)
}

function memberOrNull(document: unknown, steps: readonly string[]): unknown {
  const parent = steps.slice(0, -1).reduce(member, document)
  const last = steps.at(-1) ?? ''
  return isObject(parent) && !Object.hasOwn(parent, last) ? null : member(parent, last)
}

function add(document: unknown, steps: readonly string[], value: unknown): unknown {
  if (steps.length === 0) return value
  return change(document, steps, (container, step) => {
    if (!Array.isArray(container)) return withMember(container, step, value)
    const index = step === '-' ? container.length : indexOf(step, container.length)
    return [...container.slice(0, index), value, ...container.slice(index)]
  })
}

function withoutMember(container: unknown, step: string): unknown {
  member(container, step)
  if (Array.isArray(container)) return container.filter((_, index) => index !== Number(step))
  const { [step]: _, ...rest } = isObject(container) ? container : {}
  return rest
}

/** Returns the document with one container changed. The containers above it are copied. */
function change(
  document: unknown,
  steps: readonly string[],
  edit: (container: unknown, step: string) => unknown,
): unknown {
  const [step, ...rest] = steps
  if (step === undefined) throw patchFailed()
  if (rest.length === 0) return edit(document, step)
  return withMember(document, step, change(member(document, step), rest, edit))
}

function member(container: unknown, step: string): unknown {
  if (Array.isArray(container)) return container[indexOf(step, container.length - 1)]
  if (!isObject(container) || !Object.hasOwn(container, step)) throw patchFailed()
  return container[step]
}

function withMember(container: unknown, step: string, value: unknown): unknown {
  if (Array.isArray(container)) return container.with(indexOf(step, container.length - 1), value)
  if (!isObject(container)) throw patchFailed()
  return { ...container, [step]: value }
}

/** @param most the highest valid index. */
function indexOf(step: string, most: number): number {
  const index = /^(0|[1-9]\d*)$/.test(step) ? Number(step) : -1
  if (index < 0 || index > most) throw patchFailed()
  return index
}

/** The API server does not report which operation failed. */
function patchFailed(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
}
