// Renders the statements of a template. A variable that a loop sets ends with the loop's round.
import type { Mapping, Value } from '../yaml/value.ts'
import { type Bounds, createBounds } from './bounds.ts'
import { definedValue, evaluate, type Scope } from './evaluate.ts'
import { listOf } from './members.ts'
import { parseTemplate } from './parse.ts'
import { TemplateRefused } from './refused.ts'
import { isTrue, type Result, textOf } from './result.ts'
import type { Statement } from './tree.ts'

const lettersMax = 256 * 1024

export type Rendered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly sentence: string; readonly line: number }

/** Returns a function that renders the template with other variables each time. */
export function compileTemplate(template: string): (variables: Mapping) => Rendered {
  const statements = guarded(() => {
    if (template.length > lettersMax) throw new TemplateRefused(`it has more than ${lettersMax} characters`, 1)
    return parseTemplate(template)
  })
  return (variables) => {
    if ('sentence' in statements) return statements
    const done = guarded(() => {
      const out: string[] = []
      renderAll(statements, createScope(variables, createBounds()), out)
      return out.join('')
    })
    return typeof done === 'string' ? { ok: true, text: done } : done
  }
}

function guarded<T>(run: () => T): T | Extract<Rendered, { ok: false }> {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateRefused) return { ok: false, sentence: error.message, line: error.line }
    throw error
  }
}

type Variables = Scope & { readonly set: (name: string, value: Result) => void }

function createScope(outer: Mapping | Scope, bounds: Bounds): Variables {
  const own = new Map<string, Result>()
  const get = (name: string) => (own.has(name) ? own.get(name) : outer.get(name))
  return { bounds, get, set: (name, value) => void own.set(name, value) }
}

function renderAll(statements: readonly Statement[], scope: Variables, out: string[]): void {
  for (const statement of statements) {
    scope.bounds.step(0)
    if (statement.is === 'text') out.push(scope.bounds.text(statement.text, 0))
    else if (statement.is === 'output') {
      out.push(scope.bounds.text(textOf(evaluate(statement.value, scope)), statement.value.line))
    } else if (statement.is === 'set') scope.set(statement.name, evaluate(statement.value, scope))
    else if (statement.is === 'for') renderLoop(statement, scope, out)
    else {
      const branch = statement.branches.find(({ condition }) => isTrue(evaluate(condition, scope)))
      renderAll(branch?.body ?? statement.otherwise, scope, out)
    }
  }
}

type Loop = Extract<Statement, { readonly is: 'for' }>

function renderLoop(loop: Loop, scope: Variables, out: string[]): void {
  const { over, condition, body, otherwise, line } = loop
  const scopeOf = (item: Value) => {
    const round = createScope(scope, scope.bounds)
    bindNames(loop, item, round)
    return round
  }
  const items = listOf(evaluate(over, scope), line).filter(
    (item) => condition === undefined || isTrue(evaluate(condition, scopeOf(item))),
  )
  if (items.length === 0) renderAll(otherwise, scope, out)
  for (const [index, item] of items.entries()) {
    const round = scopeOf(item)
    round.set('loop', loopOf(index, items))
    renderAll(body, round, out)
  }
}

function bindNames({ names, line }: Loop, item: Value, round: Variables): void {
  const [name = ''] = names
  if (names.length === 1) {
    round.set(name, item)
    return
  }
  const parts = listOf(item, line)
  if (parts.length !== names.length) {
    throw new TemplateRefused(`the loop has ${names.length} names, and an item has ${parts.length} parts`, line)
  }
  for (const [index, one] of names.entries()) round.set(one, definedValue(parts[index] ?? null, line))
}

function loopOf(index: number, items: readonly Value[]): Mapping {
  const { length } = items
  const around = [['previtem', items[index - 1]] as const, ['nextitem', items[index + 1]] as const]
  return new Map<string, Value>([
    ...around.filter((entry): entry is readonly [string, Value] & typeof entry => entry[1] !== undefined),
    ['index', BigInt(index + 1)],
    ['index0', BigInt(index)],
    ['revindex', BigInt(length - index)],
    ['revindex0', BigInt(length - index - 1)],
    ['first', index === 0],
    ['last', index === length - 1],
    ['length', BigInt(length)],
  ])
}
