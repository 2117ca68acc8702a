// Evaluates a template as Jinja2 does. The library's interpreter is made for the templates of chats: it has no bounds, it names no line,
// and it writes and compares some values as JavaScript does. This class corrects these places and leaves the others to it.
import {
  type Binary,
  type Call,
  Environment,
  type Filter as FilterNode,
  Interpreter,
  type Loop,
  type Member,
  type Node,
  type Value,
} from '@huggingface/jinja'
import type { TemplateBounds } from './template-bounds.ts'
import { type Filter, type FilterCall, filterOf, itemsOf, textMethods } from './template-filters.ts'
import { printName } from './template-tags.ts'
import { areEqual, isUndefined, textOf } from './template-values.ts'

const tests: ReadonlySet<string> = new Set([
  ...[
    'defined',
    'undefined',
    'none',
    'string',
    'number',
    'boolean',
    'true',
    'false',
    'mapping',
    'sequence',
    'iterable',
  ],
])

/** Members that Jinja2 has not, or whose result in the library is another. */
const hidden: ReadonlySet<string> = new Set(['length', 'title', 'capitalize', 'dictsort'])

export class TemplateInterpreter extends Interpreter {
  private readonly bounds: TemplateBounds

  constructor(environment: Environment, bounds: TemplateBounds) {
    super(environment)
    this.bounds = bounds
  }

  override evaluate(node: Node | undefined, environment: Environment): Value {
    if (node?.type === 'Known') return node.value
    this.bounds.step()
    if (node?.type === 'Comment') this.bounds.line = Number(node.value)
    return this.bounds.count(this.corrected(node, environment))
  }

  private corrected(node: Node | undefined, environment: Environment): Value {
    switch (node?.type) {
      case 'FilterExpression':
        return this.filter(node, environment)
      case 'CallExpression':
        return this.call(node, environment)
      case 'MemberExpression':
        return this.member(node, environment)
      case 'BinaryExpression':
        return this.binary(node, environment)
      case 'TestExpression': {
        const { value: name } = node.test
        if (!tests.has(name)) this.bounds.refuse(`the test ${name} is not supported, only ${[...tests].join(', ')}`)
        const test = name === 'iterable' ? { ...node.test, value: 'sequence' } : node.test
        return super.evaluate({ ...node, test }, environment)
      }
      case 'If': {
        // The line of an elif is the last comment before it, in the body of its if.
        const before = node.alternate[0]?.type === 'If' ? node.body.slice(-1) : []
        return super.evaluate({ ...node, alternate: [...before, ...node.alternate] }, environment)
      }
      case 'For':
        return this.loop(node, environment)
      case 'Round':
        return startRound(node.names, environment)
      default:
        return super.evaluate(node, environment)
    }
  }

  private loop(node: Loop, environment: Environment): Value {
    const { iterable, loopvar, body } = node
    const select = iterable.type === 'SelectExpression' ? iterable : undefined
    const value = this.evaluate(select?.lhs ?? iterable, environment)
    const items = itemsOf({ value, bounds: this.bounds, scalar }).map((item) =>
      // The library takes only lists apart.
      loopvar.type === 'TupleLiteral' && item.type === 'TupleValue' && Array.isArray(item.value)
        ? this.list(item.value, environment)
        : item,
    )
    const over = known(this.list(items, environment))
    const round: Node = { type: 'Round', names: new Set() }
    const inner = { ...node, iterable: select ? { ...select, lhs: over } : over, body: [round, ...body] }
    return super.evaluate(inner, environment)
  }

  private filter({ operand, filter }: FilterNode, environment: Environment): Value {
    const value = this.evaluate(operand, environment)
    const { value: name } = filter.type === 'Identifier' ? filter : filter.callee
    const args = filter.type === 'Identifier' ? [] : filter.args
    return this.applied(filterOf(name, this.bounds), value, args, environment)
  }

  private applied(filter: Filter, value: Value, args: readonly Node[], environment: Environment): Value {
    const positional = args.filter(({ type }) => type !== 'KeywordArgumentExpression')
    const call: FilterCall = {
      value,
      bounds: this.bounds,
      scalar,
      list: (items) => this.list(items, environment),
      given: (index, key) => {
        const named = args.find((one) => one.type === 'KeywordArgumentExpression' && one.key.value === key)
        const found = positional[index] ?? (named?.type === 'KeywordArgumentExpression' ? named.value : undefined)
        return found && this.evaluate(found, environment)
      },
      apply: (kind, of, named) => {
        const own = Object.entries(named ?? {}).map(
          ([key, one]) =>
            ({
              type: 'KeywordArgumentExpression',
              key: { type: 'Identifier', value: key },
              value: known(one),
            }) as const,
        )
        const given = named ? own : args
        const callee = { type: 'Identifier', value: kind } as const
        const called = given.length > 0 ? ({ type: 'CallExpression', callee, args: given } as const) : callee
        return super.evaluate({ type: 'FilterExpression', operand: known(of), filter: called }, environment)
      },
    }
    return filter(call)
  }

  private call(node: Call, environment: Environment): Value {
    const { callee, args } = node
    if (callee.type === 'Identifier' && callee.value === printName) {
      const [printed] = args
      return scalar(printed ? textOf(this.evaluate(printed, environment), this.bounds) : '')
    }
    if (callee.type === 'MemberExpression') {
      const of = this.evaluate(callee.object, environment)
      const name = nameOf(callee.property)
      const method = typeof of.value === 'string' && Object.hasOwn(textMethods, name) ? textMethods[name] : undefined
      if (method) return this.applied(method, of, args, environment)
      return this.called({ ...node, callee: { ...callee, object: known(of) } }, name, environment)
    }
    return this.called(node, nameOf(callee), environment)
  }

  private called(node: Call, name: string, environment: Environment): Value {
    const callee = this.evaluate(node.callee, environment)
    if (typeof callee.value !== 'function') this.bounds.refuse(`${name} cannot be called`)
    return super.evaluate({ ...node, callee: known(callee) }, environment)
  }

  private member(node: Member, environment: Environment): Value {
    const { property, computed } = node
    const object = this.evaluate(node.object, environment)
    const name = nameOf(property)
    if (isUndefined(object)) {
      this.bounds.refuse(`${nameOf(node.object)} is undefined, so it has no ${computed ? 'items' : name}`)
    }
    if (name.startsWith('_') && !computed) this.bounds.refuse(`the member ${name} is not supported`)
    const isOwn = object.value instanceof Map && object.value.has(name)
    return hidden.has(name) && !isOwn
      ? scalar(undefined)
      : super.evaluate({ ...node, object: known(object) }, environment)
  }

  private binary(node: Binary, environment: Environment): Value {
    const { bounds } = this
    const { value: operator } = node.operator
    if (operator === 'and' || operator === 'or') return super.evaluate(node, environment)
    if (
      comparisons.has(operator) &&
      node.left.type === 'BinaryExpression' &&
      comparisons.has(node.left.operator.value)
    ) {
      bounds.refuse('a chain of comparisons is not supported')
    }
    const left = this.evaluate(node.left, environment)
    const right = this.evaluate(node.right, environment)
    if (operator === '==' || operator === '!=') return scalar(areEqual(left, right, bounds) === (operator === '=='))
    if (operator === '~') return scalar(textOf(left, bounds) + textOf(right, bounds))
    const between = (one: Value, other: Value) =>
      super.evaluate({ ...node, left: known(one), right: known(other) }, environment)
    if (/in$/.test(operator) && Array.isArray(right.value)) {
      return scalar(right.value.some((item) => areEqual(left, item, bounds)) === (operator === 'in'))
    }
    const texts = [left.value, right.value].filter((value) => typeof value === 'string')
    if (operator === '+' && texts.length === 1) bounds.refuse('the operator + does not fit a text and another value')
    if (/^[<>]/.test(operator) && texts.length === 2) {
      const [one = '', other = ''] = texts
      return between(scalar(one < other ? -1 : one > other ? 1 : 0), scalar(0))
    }
    if (/^[/%]/.test(operator) && right.value === 0) bounds.refuse('a number is divided by zero')
    const result = between(left, right)
    if (operator !== '%' || typeof result.value !== 'number' || typeof right.value !== 'number') return result
    // In Python, the remainder has the sign of the divisor.
    return result.value * right.value < 0 ? between(scalar(result.value + right.value), right) : result
  }

  private list(items: readonly Value[], environment: Environment): Value {
    return super.evaluate({ type: 'ArrayLiteral', value: items.map(known) }, environment)
  }
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=', 'in', 'not in'])

/** A variable that a round sets ends with it. The library has one scope for all rounds of a loop. */
function startRound(names: Set<string>, { variables }: Environment): Value {
  if (names.size === 0) for (const name of variables.keys()) names.add(name)
  for (const name of variables.keys()) if (!names.has(name)) variables.delete(name)
  return scalar(undefined)
}

function known(value: Value): Node {
  return { type: 'Known', value }
}

function scalar(value: boolean | number | string | undefined): Value {
  return new Environment().set('value', value)
}

function nameOf(node: Node): string {
  if (node.type === 'MemberExpression') return nameOf(node.property)
  return node.type === 'Identifier' || node.type === 'StringLiteral' ? node.value : 'this value'
}
