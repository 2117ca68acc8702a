// Reads a schema and compiles its rules once, although a definition is validated before it is served, and a process may hold many clusters.
import type { JsonObject } from '../../values/json.ts'
import { readSchema, type Schema } from '../schema.ts'
import { type BadRule, compileRules, type RuleTree } from './rule-tree.ts'

export type CompiledSchema = {
  readonly structure: Schema
  /** Undefined if the schema has no rules. */
  readonly tree: RuleTree | undefined
  readonly bad: readonly BadRule[]
}

/** Returns what a schema says. Compiling takes milliseconds, so the last eight schemas are kept.
 *  Clusters share them: the result depends on the text alone, and nothing changes it. */
export const compileSchema = keepLast(8, (schema) => {
  const structure = readSchema(schema)
  return { structure, ...compileRules(structure) }
})

function keepLast(most: number, compile: (schema: JsonObject) => CompiledSchema) {
  const kept = new Map<string, CompiledSchema>()
  return (schema: JsonObject): CompiledSchema => {
    const text = JSON.stringify(schema)
    const known = kept.get(text)
    if (known !== undefined) return known
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= most) kept.delete(oldest)
    const fresh = compile(schema)
    kept.set(text, fresh)
    return fresh
  }
}
