// All rules of a schema, compiled, in the form in which they are evaluated.
import { isObject, type JsonObject } from '../../values/json.ts'
import type { RuleText, Schema } from '../schema.ts'
import { createEnvironment } from './environment.ts'
import type { Problem } from './problem.ts'
import { compileRule, type Rule } from './rule.ts'
import { declareTypes } from './values.ts'

/** The rules of one level of a schema and of the levels below it. Levels without rules are left out. */
export type RuleTree = {
  readonly schema: Schema
  readonly rules: readonly Rule[]
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly additional: RuleTree | undefined
  readonly items: RuleTree | undefined
  /** No rule needs a look at a value that has not changed: there is no transition rule, and every part has its old one. */
  readonly settles: boolean
}

/** A rule that does not compile. */
export type BadRule = {
  /** The path of the level below the root: `.properties[spec].items`. */
  readonly at: string
  readonly index: number
  readonly text: RuleText
  readonly field: 'rule' | 'messageExpression'
  readonly problem: Problem
}

/** Compiles the rules of a schema. The tree is undefined if there are none. */
export function compileRules(root: Schema): { readonly tree: RuleTree | undefined; readonly bad: readonly BadRule[] } {
  const bad: BadRule[] = []
  if (!hasRules(root)) return { tree: undefined, bad }
  const environment = createEnvironment()
  const whole = withTypeMeta(root)
  const types = declareTypes(environment, whole)
  const compileLevel = (schema: Schema, at: string): readonly Rule[] => {
    const type = types.get(schema)
    return schema.rules.flatMap((text, index) => {
      if (text.rule.trim() === '') return []
      if (type === undefined) {
        bad.push({
          at,
          index,
          text,
          field: 'rule',
          problem: { is: 'compilation', why: 'the schema has no type that rules can read' },
        })
        return []
      }
      const compiled = compileRule(environment, type, text)
      if (compiled.ok) return [compiled.rule]
      bad.push({ at, index, text, field: compiled.field, problem: compiled.problem })
      return []
    })
  }
  return { tree: treeOf(whole, '', compileLevel), bad }
}

type CompileLevel = (schema: Schema, at: string) => readonly Rule[]

function treeOf(schema: Schema, at: string, compile: CompileLevel): RuleTree | undefined {
  const { additional, items } = schema
  const rules = compile(schema, at)
  const properties = new Map<string, RuleTree>()
  for (const [name, inner] of schema.properties) {
    const tree = treeOf(inner, `${at}.properties[${name}]`, compile)
    if (tree !== undefined) properties.set(name, tree)
  }
  const open = additional === undefined || additional === true
  const below = {
    properties,
    additional: open ? undefined : treeOf(additional, `${at}.additionalProperties`, compile),
    items: items && treeOf(items, `${at}.items`, compile),
  }
  const tree = { schema, rules, ...below, settles: settles(schema, rules, below) }
  return rules.length + properties.size > 0 || tree.additional || tree.items ? tree : undefined
}

type Below = Pick<RuleTree, 'properties' | 'additional' | 'items'>

function settles({ mapType, listType }: Schema, rules: readonly Rule[], { properties, additional, items }: Below) {
  const parts = [...properties.values(), ...(additional ? [additional] : []), ...(items ? [items] : [])]
  const hasOld = parts.length === 0 || (items ? listType === 'map' : mapType !== 'atomic')
  return hasOld && !rules.some(({ usesOld }) => usesOld) && parts.every((part) => part.settles)
}

function hasRules(schema: Schema): boolean {
  const { additional, items } = schema
  const inner = [
    ...schema.properties.values(),
    ...(isSchema(additional) ? [additional] : []),
    ...(items ? [items] : []),
  ]
  return schema.rules.length > 0 || inner.some(hasRules)
}

function isSchema(value: Schema | true | undefined): value is Schema {
  return value !== undefined && value !== true
}

/** The root's rules may read apiVersion, kind, metadata.name and metadata.generateName, and nothing else of the metadata. */
function withTypeMeta(root: Schema): Schema {
  const properties = new Map(root.properties)
  for (const name of ['apiVersion', 'kind', 'metadata']) properties.delete(name)
  return { ...root, embedded: true, properties }
}

/** Returns the old item that belongs to an item of a list that is a map. */
export function correlate(schema: Schema, item: unknown, old: unknown): unknown {
  if (schema.listType !== 'map' || !Array.isArray(old) || !isObject(item)) return undefined
  const same = (candidate: JsonObject) => schema.listKeys.every((key) => candidate[key] === item[key])
  return old.find((candidate) => isObject(candidate) && same(candidate))
}
