// Label selectors in their text form: `app=web,tier!=db,env in (a,b),!old`.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/labels/selector.go
import { badRequest } from '../errors.ts'
import { list, objectAt, text } from '../values/json.ts'
import { labelValueProblems, qualifiedNameProblems } from '../values/names.ts'

type Labels = Readonly<Record<string, string>>

type Requirement = (labels: Labels) => boolean

type Token = { readonly is: 'word' | 'sign' | 'end'; readonly text: string }

const operators = ['in', 'notin', '=', '==', '!=', '>', '<']
const operatorsText = 'in, notin, =, ==, !=, gt, lt'

/** Parses a selector. Throws a 400 with Kubernetes' message for invalid text. An empty selector selects everything. */
export function parseLabelSelector(text: string): (labels: Labels) => boolean {
  const tokens = scan(text)
  const requirements: Requirement[] = []
  let token = tokens.peek()
  while (token.is !== 'end') {
    if (token.is !== 'word' && token.text !== '!') {
      throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`)
    }
    requirements.push(parseRequirement(tokens))
    const next = tokens.take()
    if (next.is === 'end') break
    if (next.text !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`)
    token = tokens.peek()
    if (token.is !== 'word' && token.text !== '!') {
      throw badRequest(`found '${token.text}', expected: identifier after ','`)
    }
  }
  return (labels) => requirements.every((requirement) => requirement(labels))
}

type Tokens = { peek(): Token; take(): Token }

function scan(text: string): Tokens {
  const found: Token[] = []
  for (const [part] of text.matchAll(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g)) {
    found.push({ is: /^[=!<>(),]/.test(part) ? 'sign' : 'word', text: part })
  }
  const end: Token = { is: 'end', text: '' }
  let position = 0
  return { peek: () => found[position] ?? end, take: () => found[position++] ?? end }
}

function parseRequirement(tokens: Tokens): Requirement {
  const negated = tokens.peek().text === '!'
  if (negated) tokens.take()
  const key = tokens.take()
  if (key.is !== 'word') throw parseError(`found '${key.text}', expected: identifier`)
  for (const problem of qualifiedNameProblems(key.text)) {
    throw parseError(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problem}`)
  }
  const name = key.text
  if (negated) return (labels) => !Object.hasOwn(labels, name)
  const next = tokens.peek()
  if (next.is === 'end' || next.text === ',') return (labels) => Object.hasOwn(labels, name)
  const operator = tokens.take().text
  if (!operators.includes(operator)) throw parseError(`found '${operator}', expected: ${operatorsText}`)
  const values = operator === 'in' || operator === 'notin' ? parseValues(tokens) : [parseExactValue(tokens)]
  for (const value of values) {
    for (const problem of labelValueProblems(value)) {
      throw parseError(`values[0][${name}]: Invalid value: ${JSON.stringify(value)}: ${problem}`)
    }
  }
  return compare(name, operator, values)
}

function compare(name: string, operator: string, values: readonly string[]): Requirement {
  const [first = ''] = values
  switch (operator) {
    case 'notin':
    case '!=':
      return (labels) => !Object.hasOwn(labels, name) || !values.includes(labels[name] ?? '')
    case '>':
    case '<': {
      if (!/^[+-]?\d+$/.test(first)) {
        const why = "for 'Gt', 'Lt' operators, the value must be an integer"
        throw parseError(`values[0]: Invalid value: ${JSON.stringify(first)}: ${why}`)
      }
      const sign = operator === '>' ? 1 : -1
      return (labels) => {
        const value = Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''
        return /^[+-]?\d+$/.test(value) && (Number(value) - Number(first)) * sign > 0
      }
    }
    default:
      return (labels) => Object.hasOwn(labels, name) && values.includes(labels[name] ?? '')
  }
}

/** Parses `(a,b)`. A missing value is the empty string. */
function parseValues(tokens: Tokens): readonly string[] {
  const open = tokens.take()
  if (open.text !== '(') throw parseError(`found '${open.text}' expected: '('`)
  const values: string[] = []
  let wanted = true
  for (let token = tokens.take(); token.text !== ')'; token = tokens.take()) {
    if (token.is === 'word' && wanted) values.push(token.text)
    else if (token.text === ',' && wanted) values.push('')
    else if (token.text !== ',') throw parseError(`found '${token.text}', expected: ',' or ')'`)
    wanted = token.text === ','
  }
  if (wanted) values.push('')
  return values
}

function parseExactValue(tokens: Tokens): string {
  const token = tokens.peek()
  if (token.is === 'end' || token.text === ',') return ''
  tokens.take()
  if (token.is !== 'word') throw parseError(`found '${token.text}', expected: identifier`)
  return token.text
}

function parseError(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`)
}

/** Returns a label selector as text: `app=x,tier in (a,b)`. */
export function selectorText(selector: unknown): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(([name, value]) => `${name}=${String(value)}`)
  const expressions = list(selector, 'matchExpressions').map((expression) => {
    const [key, values] = [text(expression, 'key'), list(expression, 'values').join(',')]
    switch (text(expression, 'operator')) {
      case 'Exists':
        return key
      case 'DoesNotExist':
        return `!${key}`
      case 'NotIn':
        return `${key} notin (${values})`
      default:
        return `${key} in (${values})`
    }
  })
  return [...labels, ...expressions].sort().join(',')
}
