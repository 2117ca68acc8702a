// One rule of `x-kubernetes-validations`: compiled against the types of its schema, and evaluated on values.
import {
  type ASTNode,
  type Environment,
  EvaluationError,
  Optional,
  type ParseError,
  serialize,
} from '@marcbachmann/cel-js'
import { isObject } from '../../values/json.ts'
import type { RuleText } from '../schema.ts'
import { exceedsBudget, type Work, workOf } from './cost.ts'
import { badPattern, largestPattern, patternCalls, withLinearMatches } from './pattern-calls.ts'
import { explain, type Problem } from './problem.ts'
import type { CelType } from './values.ts'

export type Verdict = { readonly is: 'kept' | 'broken' } | { readonly is: 'failed'; readonly why: string }

export type Rule = {
  readonly text: RuleText
  readonly usesOld: boolean
  /** @param old undefined if there is no old value */
  readonly evaluate: (value: unknown, old: unknown) => Verdict
  /** Returns the result of `messageExpression`; undefined if there is none, or if it fails. */
  readonly message: (value: unknown, old: unknown) => string | undefined
}

export type Compiled =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly field: 'rule' | 'messageExpression'; readonly problem: Problem }

/** Compiles a rule of a value with this type. @param base the environment with the types of the whole schema; it may not change any more */
export function compileRule(base: Environment, type: CelType, text: RuleText): Compiled {
  const optional = text.optionalOldSelf === true
  const environment = base
    .clone()
    .registerVariable('self', type.name)
    .registerVariable('oldSelf', optional ? `optional<${type.name}>` : type.name)
  const rule = compile(environment, text.rule, 'bool')
  if (!rule.ok) return { ok: false, field: 'rule', problem: rule.problem }
  const message = text.messageExpression === '' ? undefined : compile(environment, text.messageExpression, 'string')
  if (message?.ok === false) return { ok: false, field: 'messageExpression', problem: message.problem }
  const oldOf = (old: unknown) => {
    if (old === undefined) return Optional.none()
    return optional ? Optional.of(type.convert(old)) : type.convert(old)
  }
  // A conversion copies the whole value, and few rules read the old one.
  const contextOf = ({ names }: { readonly names: ReadonlySet<string> }, value: unknown, old: unknown) => ({
    self: type.convert(value),
    oldSelf: names.has('oldSelf') ? oldOf(old) : Optional.none(),
  })
  return {
    ok: true,
    rule: {
      text,
      usesOld: rule.names.has('oldSelf'),
      evaluate: (value, old) => {
        if (exceedsBudget(rule.work, value, old)) return { is: 'failed', why: tooExpensive }
        return evaluate(() => rule.run(contextOf(rule, value, old)))
      },
      message: (value, old) =>
        message && !exceedsBudget(message.work, value, old)
          ? textOf(() => message.run(contextOf(message, value, old)))
          : undefined,
    },
  }
}

const tooExpensive = 'operation cancelled: actual cost limit exceeded'

type Expression =
  | {
      readonly ok: true
      readonly run: (context: Record<string, unknown>) => unknown
      readonly names: ReadonlySet<string>
      readonly work: Work
    }
  | { readonly ok: false; readonly problem: Problem }

function compile(environment: Environment, text: string, wanted: 'bool' | 'string'): Expression {
  const known = () => new Set(environment.getDefinitions().functions.map(({ name }) => name))
  try {
    const run = environment.parse(text)
    const checked = environment.check(text)
    if (!checked.valid) return { ok: false, problem: explain(text, checked.error, known()) }
    if (checked.type !== wanted) return { ok: false, problem: { is: 'type', wanted } }
    // has() accepts fields that the schema does not have. Their plain selection does not.
    const selected = environment.check(serialize(withoutHas(run.ast)))
    if (!selected.valid) return { ok: false, problem: explain(text, selected.error, known()) }
    const calls = patternCalls(run.ast)
    const bad = calls.map((call) => badPattern(text, call)).find((problem) => problem !== undefined)
    if (bad !== undefined) return { ok: false, problem: bad }
    const linear = calls.some(({ name }) => name === 'matches')
      ? environment.parse(withLinearMatches(text, calls))
      : run
    return {
      ok: true,
      run: (context) => linear(context),
      names: namesIn(run.ast),
      work: { ...workOf(run.ast), pattern: largestPattern(calls) },
    }
  } catch (error) {
    return { ok: false, problem: explain(text, error as ParseError, known()) }
  }
}

function evaluate(run: () => unknown): Verdict {
  try {
    return { is: run() === true ? 'kept' : 'broken' }
  } catch (error) {
    return { is: 'failed', why: sentenceOf(error) }
  }
}

/** Returns the text. Kubernetes ignores an expression that fails, is empty, or has line breaks. */
function textOf(run: () => unknown): string | undefined {
  try {
    const text = run()
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : undefined
  } catch {
    return undefined
  }
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : String(error)
  const { code, summary: text } = error
  const converted = { invalid_duration: 'Duration', invalid_timestamp: 'Timestamp' }[code]
  if (converted) return `type conversion error from 'string' to 'google.protobuf.${converted}'`
  return text.charAt(0).toLowerCase() + text.slice(1)
}

type Node = { readonly op: string; readonly args: unknown }

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value['op'] === 'string' && 'args' in value
}

/** Returns the expression with `[x.y].exists(item, true)` for each `has(x.y)`. */
function withoutHas(node: ASTNode): ASTNode {
  return rewrite(node) as ASTNode
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite)
  if (!isNode(value)) return value
  const { op, args } = value
  if (op === 'call' && Array.isArray(args) && args[0] === 'has' && Array.isArray(args[1])) {
    const item = { op: 'id', args: 'item' }
    return { op: 'rcall', args: ['exists', { op: 'list', args: args[1] }, [item, { op: 'value', args: true }]] }
  }
  return { op, args: rewrite(args) }
}

function namesIn(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const item of value) namesIn(item, names)
  else if (isNode(value)) {
    if (value.op === 'id') names.add(String(value.args))
    else namesIn(value.args, names)
  }
  return names
}
