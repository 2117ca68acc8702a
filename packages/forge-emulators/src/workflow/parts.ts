// Reads the parts of a workflow's plain value: steps, conditions, environments, defaults and inputs.
import { splitTemplate } from '../expression.ts'
import type { RunnerJob, RunnerStep, Template } from '../job.ts'
import { isCheckout } from './unsupported.ts'

export type Mapping = Readonly<Record<string, unknown>>

/** Reads a step. Its id is unique in the job, and its condition is complete. */
export function readStep(
  step: Mapping,
  { id, condition }: { readonly id: string; readonly condition: string },
): RunnerStep {
  const uses = step['uses'] === undefined ? undefined : String(step['uses'])
  const run = text(step['run'])
  const firstLine = run.trimStart().split('\n', 1)[0] ?? ''
  const common = {
    id,
    name: optionalText(step['name']) ?? `Run ${uses ?? firstLine}`,
    if: condition,
    env: texts(step['env']),
    continueOnError:
      typeof step['continue-on-error'] === 'string' ? step['continue-on-error'] : step['continue-on-error'] === true,
    timeoutMinutes:
      typeof step['timeout-minutes'] === 'number' ? step['timeout-minutes'] : optionalText(step['timeout-minutes']),
  }
  if (uses === undefined) {
    const [shell, workingDirectory] = [optionalText(step['shell']), optionalText(step['working-directory'])]
    return { ...common, kind: 'run', run, shell, workingDirectory }
  }
  if (!isCheckout(uses)) return { ...common, kind: 'unsupported', uses }
  const inputs = mapping(step['with'])
  const [path, ref, fetchDepth] = ['path', 'ref', 'fetch-depth'].map((name) => optionalText(inputs[name]))
  return { ...common, kind: 'checkout', path, ref, fetchDepth }
}

/**
 * Returns the condition of an `if`. GitHub reads it as an expression with or without `${{ }}`. A mixture of both is a text, which is always true.
 * `complete` adds the status function to an expression that has none.
 */
export function conditionOf(value: unknown, complete: (expression: string) => string): string {
  const condition = text(value)
  const parts = splitTemplate(condition)
  const [only] = parts
  if (parts.every((part) => part.kind === 'text')) {
    return condition.trim() === '' ? 'success()' : complete(condition.trim())
  }
  if (parts.length === 1 && only) return complete(only.text.trim())
  const format = parts.map((part, index) => (part.kind === 'text' ? part.text.replace(/[{}]/g, '$&$&') : `{${index}}`))
  const values = parts.map((part) => (part.kind === 'text' ? "''" : `(${part.text})`))
  const literal = format.join('').replaceAll("'", "''")
  return complete(`format('${literal}', ${values.join(', ')})`)
}

/** Returns the job's defaults of `run` steps, or the workflow's if the job has none. */
export function defaultsOf(job: Mapping, workflow: Mapping): RunnerJob['defaults'] {
  const [own, outer] = [mapping(mapping(job['defaults'])['run']), mapping(mapping(workflow['defaults'])['run'])]
  return {
    shell: optionalText(own['shell'] ?? outer['shell']),
    workingDirectory: optionalText(own['working-directory'] ?? outer['working-directory']),
  }
}

/** Returns the default values of the inputs of a manual run. */
export function inputsOf(on: unknown): Readonly<Record<string, unknown>> {
  const inputs = mapping(mapping(mapping(on)['workflow_dispatch'])['inputs'])
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      const {
        type,
        default: value,
        options,
      } = mapping(input) as { type?: string; default?: unknown; options?: unknown[] }
      if (type === 'boolean') return [name, value === true || value === 'true']
      return [name, value ?? (type === 'choice' ? text(options?.[0]) : '')]
    }),
  )
}

/** Returns a mapping of texts, such as an environment. */
export function texts(value: unknown): Readonly<Record<string, Template>> {
  return Object.fromEntries(Object.entries(mapping(value)).map(([key, item]) => [key, text(item)]))
}

export function optionalText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(value)
}

export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {}
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}
