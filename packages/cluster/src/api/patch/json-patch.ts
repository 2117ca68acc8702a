// JSON patch (RFC 6902). Copies a container of the document at its first change, and from then on changes the copy, so
// that the cost of many operations does not grow with the document.
import { ApiError, badRequest, tooLarge } from '../errors.ts'
import { copyJson, isObject, type JsonObject, jsonType, nestsDeeperThan, sameJson } from '../values/json.ts'

const operationsMax = 10_000
/** The number of characters that `copy` may add to a document. Repeated doubling would exhaust the memory. */
const copiedMax = 3 * 1024 * 1024
/** The number of characters from which on a copied value is shared. */
const sharedMin = 64 * 1024
/** Values that nest deeper can be neither copied nor compared. */
const depthMax = 1_000

type Container = Record<string, unknown> | unknown[]

/** The document in work. `own` are the containers that this patch has made: nothing else refers to them. */
type Work = { readonly root: { '': unknown }; readonly own: Set<unknown>; copied: number }

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
  const root = { '': document }
  const work: Work = { root, own: new Set([root]), copied: 0 }
  for (const operation of operations) {
    if (!isObject(operation)) throw badRequest('Invalid JSON Patch')
    applyOperation(work, operation)
  }
  return root['']
}

function applyOperation(work: Work, operation: JsonObject): void {
  const { op, path, from, value } = operation
  const steps = stepsOf(path)
  if (op === 'add' || op === 'replace') {
    if (value === undefined) throw patchFailed()
    if (op === 'add') add(work, steps, value)
    else replace(work, steps, value)
  } else if (op === 'remove') {
    remove(work, steps)
  } else if (op === 'test') {
    const found = steps.length === 0 ? work.root[''] : memberOrNull(work.root[''], steps)
    if (nestsDeeperThan(found, depthMax) || !sameJson(found ?? null, value ?? null)) throw patchFailed()
  } else if (op === 'copy') {
    add(work, steps, copyOf(work, read(work.root[''], from)))
  } else if (op === 'move') {
    const moved = read(work.root[''], from)
    remove(work, stepsOf(from))
    add(work, steps, moved)
  } else {
    throw patchFailed()
  }
}

/** Returns the value for a second place. A small one is copied. A large one is shared, and copied where it changes. */
function copyOf(work: Work, value: unknown): unknown {
  if (nestsDeeperThan(value, depthMax)) throw patchFailed()
  const { length } = JSON.stringify(value)
  work.copied += length
  if (work.copied > copiedMax) throw patchFailed()
  if (length < sharedMin) return copyJson(value)
  work.own.clear()
  work.own.add(work.root)
  return value
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

function add(work: Work, steps: readonly string[], value: unknown): void {
  const { container, last } = place(work, steps)
  if (!Array.isArray(container)) container[last] = value
  else container.splice(last === '-' ? container.length : indexOf(last, container.length), 0, value)
}

function remove(work: Work, steps: readonly string[]): void {
  if (steps.length === 0) throw patchFailed()
  const { container, last } = place(work, steps)
  member(container, last)
  if (Array.isArray(container)) container.splice(Number(last), 1)
  else delete container[last]
}

function replace(work: Work, steps: readonly string[], value: unknown): void {
  const { container, last } = place(work, steps)
  member(container, last)
  if (Array.isArray(container)) container[Number(last)] = value
  else container[last] = value
}

/** Returns the container that the last step names a member of, ready to be changed. */
function place(work: Work, steps: readonly string[]): { readonly container: Container; readonly last: string } {
  let container: Container = work.root
  let last = ''
  for (const step of steps) {
    container = ownMember(work, container, last)
    last = step
  }
  return { container, last }
}

/** Returns the member, which the container refers to in a copy from now on if the patch did not make it. */
function ownMember({ own }: Work, container: Container, step: string): Container {
  const found = member(container, step)
  if (own.has(found)) return found as Container
  if (!Array.isArray(found) && !isObject(found)) throw patchFailed()
  const made: Container = Array.isArray(found) ? [...found] : { ...found }
  own.add(made)
  if (Array.isArray(container)) container[Number(step)] = made
  else container[step] = made
  return made
}

function member(container: unknown, step: string): unknown {
  if (Array.isArray(container)) return container[indexOf(step, container.length - 1)]
  if (!isObject(container) || !Object.hasOwn(container, step)) throw patchFailed()
  return container[step]
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
