// The problems of a workflow file, worded for its author.

export type WorkflowProblem = {
  /** A stable code for scripts. */
  readonly code:
    | 'workflow-missing'
    | 'workflow-too-large'
    | 'workflow-binary'
    | 'workflow-syntax'
    | 'workflow-invalid'
    | 'workflow-unsupported'
  /** The path as the user gave it. */
  readonly file: string
  /** The line, from 1. It is 1 if the problem concerns the whole file. */
  readonly line: number
  readonly column: number
  /** One sentence that says what is wrong. */
  readonly sentence: string
  /** One sentence that says what to do. */
  readonly next: string
}

/** A workflow file that cannot be run, with one to ten problems in the order of the file. The message is the first problem. */
export class WorkflowError extends Error {
  readonly problems: readonly WorkflowProblem[]

  constructor(problems: readonly [WorkflowProblem, ...WorkflowProblem[]]) {
    super(formatProblem(problems[0]))
    this.name = 'WorkflowError'
    this.problems = problems
  }
}

/** Formats a problem as `file:line:column: sentence next`, which editors and terminals turn into a link. */
function formatProblem(problem: WorkflowProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.sentence} ${problem.next}`
}
