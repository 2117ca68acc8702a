// Evaluates the rules of a schema on an object, with the messages of kube-apiserver 1.36.
import { type FieldError, invalidValue, notAllowed, omitted, required } from '../../values/field-error.ts'
import { isObject, sameJson } from '../../values/json.ts'
import type { Schema } from '../schema.ts'
import type { Rule } from './rule.ts'
import { correlate, type RuleTree } from './rule-tree.ts'

/** Returns the broken rules. @param old the stored value; undefined at creation, or if it cannot be correlated */
export function validateRules(tree: RuleTree, value: unknown, old: unknown, path = ''): readonly FieldError[] {
  if (value === null || value === undefined) return []
  const unchanged = old !== undefined && sameJson(value, old)
  if (unchanged && tree.settles) return []
  const errors = tree.rules.flatMap((rule) => check(rule, tree.schema, { value, old, path, unchanged }))
  const inner = (next: RuleTree, item: unknown, before: unknown, at: string) => {
    errors.push(...validateRules(next, item, before, at))
  }
  if (Array.isArray(value)) {
    const { items, schema } = tree
    if (items)
      for (const [index, item] of value.entries()) inner(items, item, correlate(schema, item, old), `${path}[${index}]`)
  } else if (isObject(value)) {
    const correlated = tree.schema.mapType !== 'atomic' && isObject(old) ? old : {}
    for (const [name, next] of tree.properties) inner(next, value[name], correlated[name], join(path, name))
    const { additional } = tree
    if (additional)
      for (const [key, item] of Object.entries(value)) inner(additional, item, correlated[key], `${path}[${key}]`)
  }
  return errors
}

type Place = { readonly value: unknown; readonly old: unknown; readonly path: string; readonly unchanged: boolean }

/** An unchanged value is checked against transition rules alone, so that a new rule does not block other changes. */
function check(rule: Rule, schema: Schema, { value, old, path, unchanged }: Place): readonly FieldError[] {
  if (rule.usesOld ? old === undefined && rule.text.optionalOldSelf !== true : unchanged) return []
  const verdict = rule.evaluate(value, old)
  if (verdict.is === 'kept') return []
  const { text } = rule
  const named = text.message.trim() === '' ? text.rule.trim() : text.message.trim()
  if (verdict.is === 'failed') {
    return [invalidValue(orRoot(path), schema.type ?? 'object', `${verdict.why} evaluating rule: ${named}`)]
  }
  const message = rule.message(value, old) ?? (text.message.trim() === '' ? `failed rule: ${text.rule.trim()}` : named)
  return [broken(rule, orRoot(`${path}${fieldPathOf(text.fieldPath, path)}`), value, message)]
}

function broken({ text }: Rule, path: string, value: unknown, message: string): FieldError {
  switch (text.reason) {
    case 'FieldValueForbidden':
      return notAllowed(path, message)
    case 'FieldValueRequired':
      return required(path, message)
    case 'FieldValueDuplicate':
      return { reason: 'FieldValueDuplicate', field: path, body: 'Duplicate value' }
    default:
      // Kubernetes repeats scalars in its message, and leaves objects and lists out.
      return typeof value === 'object' || text.fieldPath !== ''
        ? omitted(path, message)
        : invalidValue(path, value, message)
  }
}

/** The root has no name, so that its own path begins with the first field. */
function fieldPathOf(fieldPath: string, path: string): string {
  const trimmed = fieldPath.trim()
  return path === '' ? trimmed.replace(/^\./, '') : trimmed
}

function orRoot(path: string): string {
  return path === '' ? '<nil>' : path
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
