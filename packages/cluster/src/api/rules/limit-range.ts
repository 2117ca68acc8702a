// LimitRanges: their defaults and validation. limits.ts applies them to pods and claims.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import { type Amounts, amountsOf, masked, sum, toList } from '../values/amounts.ts'
import { duplicate, type FieldError, invalidValue, notAllowed, required } from '../values/field-error.ts'
import { field, isObject, type JsonObject, list, objectAt, size, text } from '../values/json.ts'
import { qualifiedNameProblems } from '../values/names.ts'
import type { Quantity } from '../values/quantity.ts'
import type { Draft } from '../verbs/draft.ts'
import { containerNameProblems, mayOvercommit, resourceNameProblems } from './resource-names.ts'
import type { Rules } from './rules.ts'

export const limitRangeRules: Rules = { fill: fillLimits, validate: validateLimits, validateUpdate: validateLimits }

/** For containers, `max` is the default limit, and the default limit or `min` is the default request. */
function fillLimits(draft: Draft): void {
  const limits = list(draft, 'spec', 'limits').map((limit) => (isObject(limit) ? filled(limit) : limit))
  if (limits.length > 0) draft['spec'] = { ...objectAt(draft, 'spec'), limits }
  else draft['spec'] = {}
}

function filled(limit: JsonObject): JsonObject {
  if (limit['type'] !== 'Container') return limit
  const limits = completed(amountsOf(limit['default']), amountsOf(limit['max']))
  const requests = completed(completed(amountsOf(limit['defaultRequest']), limits), amountsOf(limit['min']))
  return {
    ...limit,
    ...(limits.size === 0 ? {} : { default: toList(limits) }),
    ...(requests.size === 0 ? {} : { defaultRequest: toList(requests) }),
  }
}

function completed(amounts: Amounts, others: Amounts): Amounts {
  return sum(
    amounts,
    masked(others, (name) => !amounts.has(name)),
  )
}

function validateLimits(draft: Draft): readonly FieldError[] {
  const types = new Set<string>()
  return list(draft, 'spec', 'limits').flatMap((limit, index) => {
    const [at, type] = [`spec.limits[${index}]`, text(limit, 'type')]
    const repeated = types.has(type) ? [duplicate(`${at}.type`, type)] : []
    types.add(type)
    const read = readLimit(limit)
    const names = new Set(Object.values(read).flatMap((amounts) => [...amounts.keys()]))
    return [
      ...validateType(type, `${at}.type`),
      ...repeated,
      ...validateNames(type, limit, at),
      ...[...names].sort().flatMap((name) => validateRelations(name, read, at)),
    ]
  })
}

type Limit = Readonly<Record<(typeof parts)[number], Amounts>>

const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

function readLimit(limit: unknown): Limit {
  const read = (part: (typeof parts)[number]): Amounts =>
    isForbidden(limit, part) ? new Map() : amountsOf(field(limit, part))
  return {
    max: read('max'),
    min: read('min'),
    default: read('default'),
    defaultRequest: read('defaultRequest'),
    maxLimitRequestRatio: read('maxLimitRequestRatio'),
  }
}

/** Returns whether pods cannot have this part of a limit. */
function isForbidden(limit: unknown, part: string): boolean {
  return text(limit, 'type') === 'Pod' && part.startsWith('default')
}

function validateType(type: string, at: string): readonly FieldError[] {
  const problems = qualifiedNameProblems(type)
  if (problems.length > 0) return problems.map((problem) => invalidValue(at, type, problem))
  if (type.includes('/') || ['Container', 'PersistentVolumeClaim', 'Pod'].includes(type)) return []
  return [invalidValue(at, type, 'must be a standard limit type or fully qualified')]
}

function validateNames(type: string, limit: unknown, at: string): readonly FieldError[] {
  const problems = type === 'Pod' || type === 'Container' ? containerNameProblems : resourceNameProblems
  const errors = parts.flatMap((part) => {
    if (isForbidden(limit, part)) {
      const why = "may not be specified when `type` is 'Pod'"
      return size(limit, part) > 0 ? [notAllowed(`${at}.${part}`, why)] : []
    }
    return Object.keys(objectAt(limit, part)).flatMap((name) =>
      problems(name).map((problem) => invalidValue(`${at}.${part}[${name}]`, name, problem)),
    )
  })
  const isSized = ['min', 'max'].some((part) => field(limit, part, 'storage') !== undefined)
  if (type !== 'PersistentVolumeClaim' || isSized) return errors
  const why = 'either minimum or maximum storage value is required, but neither was provided'
  return [...errors, required(`${at}.limits`, why)]
}

/** Each row: a smaller part, a larger part, where the error is, whose value it shows, and their names in the message. */
const orders = [
  ['min', 'max', 'min', 'min', 'min', 'max'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min', 'default request'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request', 'max'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default request', 'default limit'],
  ['min', 'default', 'default', 'min', 'min', 'default'],
  ['default', 'max', 'default', 'max', 'default', 'max'],
] as const

function validateRelations(name: string, limit: Limit, at: string): readonly FieldError[] {
  const errors = orders.flatMap(([small, large, part, shown, smallName, largeName]) => {
    const [least, most] = [limit[small].get(name), limit[large].get(name)]
    if (least === undefined || most === undefined || least.nano <= most.nano) return []
    const why = `${smallName} value ${least.text} is greater than ${largeName} value ${most.text}`
    return [invalidValue(`${at}.${part}[${name}]`, limit[shown].get(name)?.text, why)]
  })
  return [...errors, ...validateRatio(name, limit, at), ...validateEqual(name, limit, at)]
}

function validateRatio(name: string, limit: Limit, at: string): readonly FieldError[] {
  const ratio = limit.maxLimitRequestRatio.get(name)
  if (ratio === undefined) return []
  const place = `${at}.maxLimitRequestRatio[${name}]`
  const errors: FieldError[] = []
  if (ratio.nano < 1_000_000_000n) errors.push(invalidValue(place, ratio.text, `ratio ${ratio.text} is less than 1`))
  const [min, max] = [limit.min.get(name), limit.max.get(name)]
  if (min === undefined || max === undefined) return errors
  const highest = quotient(max, min)
  if (Number(ratio.nano) / 1e9 <= highest) return errors
  const why = `ratio ${ratio.text} is greater than max/min = ${printRatio(highest)}`
  return [...errors, invalidValue(place, ratio.text, why)]
}

function validateEqual(name: string, limit: Limit, at: string): readonly FieldError[] {
  const [given, request] = [limit.default.get(name), limit.defaultRequest.get(name)]
  if (mayOvercommit(name) || given === undefined || request === undefined || given.nano === request.nano) return []
  const why = `default value ${given.text} must equal to defaultRequest value ${request.text} in ${name}`
  return [invalidValue(`${at}.defaultRequest[${name}]`, request.text, why)]
}

export function quotient(one: Quantity, other: Quantity): number {
  return Number(one.nano) / Number(other.nano)
}

/** Writes a ratio like Go: with six digits. */
export function printRatio(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(6) : '+Inf'
}
