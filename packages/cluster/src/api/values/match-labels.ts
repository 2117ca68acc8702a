// Matches labels with a selector that an object contains: `matchLabels` and `matchExpressions`.
import { field, isObject } from './json.ts'

type Labels = Readonly<Record<string, string>>

/** An absent selector matches nothing. An empty one matches everything. */
export function matchesLabels(selector: unknown, labels: Labels = {}): boolean {
  if (!isObject(selector)) return false
  const wanted = field(selector, 'matchLabels')
  const areEqual = Object.entries(isObject(wanted) ? wanted : {}).every(([name, value]) => labels[name] === value)
  return areEqual && matchesExpressions(field(selector, 'matchExpressions'), labels)
}

/** @param expressions a list with `key`, `operator` and `values`. All must match. */
export function matchesExpressions(expressions: unknown, labels: Labels): boolean {
  return (Array.isArray(expressions) ? expressions : []).every((expression) => {
    const [key, operator, values] = ['key', 'operator', 'values'].map((name) => field(expression, name))
    const value = labels[String(key)]
    const listed = Array.isArray(values) ? values : []
    switch (operator) {
      case 'In':
        return value !== undefined && listed.includes(value)
      case 'NotIn':
        return value === undefined || !listed.includes(value)
      case 'Exists':
        return value !== undefined
      case 'DoesNotExist':
        return value === undefined
      case 'Gt':
        return Number(value) > Number(listed[0])
      case 'Lt':
        return Number(value) < Number(listed[0])
      default:
        return false
    }
  })
}
