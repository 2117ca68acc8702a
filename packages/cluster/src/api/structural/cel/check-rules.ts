// Validates the rules of a schema when its definition is written, with the messages of kube-apiserver 1.36.
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../../values/field-error.ts'
import { isObject, type JsonObject, list } from '../../values/json.ts'
import { type RuleText, readRules } from '../schema.ts'
import { compileSchema } from './compile-schema.ts'
import type { BadRule } from './rule-tree.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Compiling so many rules takes about a third of a second. */
const rulesMax = 1_000

/** Checks every rule of a schema that validate-schema.ts found structural. A rule that cannot be evaluated here is refused. */
export function checkRules(schema: JsonObject, path: string): readonly FieldError[] {
  const count = countRules(schema)
  if (count > rulesMax) {
    return [
      notAllowed(path, `more than ${rulesMax} rules are not supported by the embedded cluster. Join some of them`),
    ]
  }
  const texts = checkTexts(schema, `${path}`, true)
  // Reading the schema of tens of thousands of fields takes long.
  if (texts.length > 0 || count === 0) return texts
  return compileSchema(schema).bad.map((rule) => errorOf(rule, path))
}

function countRules(schema: JsonObject): number {
  const { properties, items, additionalProperties } = schema
  const levels = [...(isObject(properties) ? Object.values(properties) : []), items, additionalProperties]
  const below = levels.filter(isObject).map(countRules)
  return below.reduce((sum, count) => sum + count, list(schema, 'x-kubernetes-validations').length)
}

/** Checks the parts of the rules that need no compiler. @param correlated old values can be found for this level */
function checkTexts(schema: JsonObject, path: string, correlated: boolean): readonly FieldError[] {
  const errors = readRules(schema).flatMap((rule, index) =>
    checkText(rule, schema, `${path}.x-kubernetes-validations[${index}]`, correlated),
  )
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    const inner = schema[name]
    for (const [index, item] of (Array.isArray(inner) ? inner : []).entries())
      errors.push(...refuseNested(item, `${path}.${name}[${index}]`))
  }
  errors.push(...refuseNested(schema['not'], `${path}.not`))
  const { properties, items, additionalProperties } = schema
  const granular = correlated && schema['x-kubernetes-map-type'] !== 'atomic'
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    if (isObject(inner)) errors.push(...checkTexts(inner, `${path}.properties[${name}]`, granular))
  }
  if (isObject(additionalProperties))
    errors.push(...checkTexts(additionalProperties, `${path}.additionalProperties`, granular))
  const byKey = correlated && schema['x-kubernetes-list-type'] === 'map'
  if (isObject(items)) errors.push(...checkTexts(items, `${path}.items`, byKey))
  return errors
}

/** Kubernetes evaluates rules of combined schemas only in special cases; here they are refused. */
function refuseNested(schema: unknown, path: string): readonly FieldError[] {
  if (!isObject(schema)) return []
  const here =
    readRules(schema).length > 0
      ? [notAllowed(`${path}.x-kubernetes-validations`, 'must be empty to be structural')]
      : []
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  return [
    ...here,
    ...properties.flatMap(([name, inner]) => refuseNested(inner, `${path}.properties[${name}]`)),
    ...refuseNested(schema['items'], `${path}.items`),
    ...refuseNested(schema['additionalProperties'], `${path}.additionalProperties`),
  ]
}

function checkText(rule: RuleText, schema: JsonObject, at: string, correlated: boolean): readonly FieldError[] {
  if (rule.rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
  const errors: FieldError[] = []
  const { message, reason, fieldPath, optionalOldSelf } = rule
  if (message !== '' && message.trim() === '')
    errors.push(invalidValue(`${at}.message`, message, 'message must be non-empty if specified'))
  if (message.trim().includes('\n')) errors.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'))
  if (rule.rule.trim().includes('\n') && message.trim() === '') {
    errors.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'))
  }
  if (fieldPath !== '' && !isPath(fieldPath, schema))
    errors.push(invalidValue(`${at}.fieldPath`, fieldPath, 'must be a valid path'))
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons))
  const usesOld = /\boldSelf\b/.test(rule.rule)
  if (optionalOldSelf !== undefined && !usesOld) {
    errors.push(invalidValue(`${at}.optionalOldSelf`, optionalOldSelf, 'may not be set if oldSelf is not used in rule'))
  }
  if (usesOld && !correlated) {
    const why = 'oldSelf cannot be used on the uncorrelatable portion of the schema'
    errors.push(invalidValue(`${at}.rule`, rule.rule, why))
  }
  return errors
}

/** Returns whether a path such as `.scale.min` or `.labels['a.b']` names a field of the schema. */
function isPath(fieldPath: string, schema: JsonObject): boolean {
  let rest = fieldPath
  let level: unknown = schema
  while (rest !== '') {
    const [step = '', plain, quoted] = /^(?:\.([a-zA-Z_][a-zA-Z0-9_-]*)|\['((?:[^'\\]|\\.)+)'\])/.exec(rest) ?? []
    const name = plain ?? quoted
    if (name === undefined || !isObject(level)) return false
    rest = rest.slice(step.length)
    const { properties, additionalProperties } = level
    if (isObject(properties) && Object.hasOwn(properties, name)) level = properties[name]
    else if (isObject(additionalProperties)) level = additionalProperties
    else return false
  }
  return true
}

function errorOf({ at, index, text, field, problem }: BadRule, path: string): FieldError {
  const where = `${path}${at}.x-kubernetes-validations[${index}].${field}`
  if (problem.is === 'unsupported') {
    return notAllowed(
      where,
      `the embedded cluster cannot evaluate ${problem.name}. Use another function, or another cluster`,
    )
  }
  const called = field === 'rule' ? '' : 'messageExpression '
  const wrongType =
    field === 'rule' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string'
  const failed = problem.is === 'pattern' ? 'program instantiation failed' : `${called}compilation failed`
  const why = problem.is === 'type' ? wrongType : `${failed}: ${problem.why}`
  return { reason: 'FieldValueInvalid', field: where, body: `Invalid value: ${shown(text)}: ${why}` }
}

/** Returns the rule as Go writes its structure. */
function shown({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: RuleText): string {
  const structure = {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  }
  const escaped = (mark: string) => `\\u00${mark.charCodeAt(0).toString(16)}`
  return JSON.stringify(structure).replace(/[<>&]/g, escaped)
}
