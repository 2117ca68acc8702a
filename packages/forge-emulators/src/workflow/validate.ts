// Validates a workflow file with GitHub's own parser: schema, expressions, ids, needs. Its errors become problems with a next step.
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import type { WorkflowTemplate } from '@actions/workflow-parser/model/workflow-template'
import { assert } from '@dayfly/kit/assert'
import { refuseProblems } from '../source/locate.ts'
import { SourceError, type SourceProblem } from '../source/problem.ts'
import type { Source } from '../source/source.ts'

/** Returns GitHub's template of a valid file. Throws a `SourceError` with the first ten problems that GitHub reports. */
export async function validateWorkflow(source: Source): Promise<WorkflowTemplate> {
  if (source.document.contents === null) throw new SourceError([emptyProblem(source.file)])
  const file = { name: source.file, content: source.text }
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter())
  const template = value && (await convertWorkflowTemplate(context, value))
  const problems = context.errors.getErrors().map(
    (error): SourceProblem => ({
      code: 'workflow-invalid',
      file: source.file,
      line: error.range?.start.line ?? 1,
      column: error.range?.start.column ?? 1,
      sentence: sentenceOf(error.rawMessage),
      next: nextOf(error.rawMessage),
    }),
  )
  refuseProblems(problems)
  assert(template, 'a file without findings has a template')
  return template
}

function emptyProblem(file: string): SourceProblem {
  const sentence = 'The file has no workflow.'
  return { code: 'workflow-invalid', file, line: 1, column: 1, sentence, next: 'Add `on:` and `jobs:`.' }
}

function sentenceOf(message: string): string {
  const text = message.split('\n', 1)[0]?.trim().slice(0, 300) ?? ''
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

const nextSteps: readonly (readonly [RegExp, string])[] = [
  [
    /^Unrecognized function/,
    'Use a function of GitHub: contains, startsWith, endsWith, format, join, toJSON, fromJSON, case; in steps hashFiles; in `if` success, failure, always, cancelled.',
  ],
  [/^Unrecognized named-value/, 'Use a context that GitHub provides here.'],
  [/depends on unknown job/, 'Correct the name, or add that job.'],
  [/creates a cycle|at least one job with no dependencies/, 'Remove one of the `needs` in the cycle.'],
  [/^Unexpected value/, 'Correct the spelling or the position, or remove it.'],
  [/^Required property is missing/, 'Add the property.'],
  [/is already defined|more than once/, 'Remove one of the two.'],
  [/expression is not closed|Unexpected (symbol|end)/, 'Correct the expression.'],
]

function nextOf(message: string): string {
  const known = nextSteps.find(([pattern]) => pattern.test(message))
  return known?.[1] ?? "Check it against GitHub's workflow syntax."
}
