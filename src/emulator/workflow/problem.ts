// What is wrong with a workflow file, in words for the person who wrote it.

export type WorkflowProblem = {
  /** Stable, for scripts: `workflow-missing`, `workflow-syntax`, `workflow-invalid`, `workflow-unsupported`, … */
  readonly code:
    | 'workflow-missing'
    | 'workflow-too-large'
    | 'workflow-binary'
    | 'workflow-syntax'
    | 'workflow-invalid'
    | 'workflow-unsupported'
  /** The path as it was given. */
  readonly file: string
  /** From 1; 1 where the whole file is meant. */
  readonly line: number
  readonly column: number
  /** One sentence: what is wrong. */
  readonly sentence: string
  /** One sentence: what to do. */
  readonly next: string
}

/** The file cannot be run. `problems` are in the order of the file, at least one and at most ten; the message is the first of them. */
export class WorkflowError extends Error {
  readonly problems: readonly WorkflowProblem[]

  constructor(problems: readonly [WorkflowProblem, ...WorkflowProblem[]]) {
    super(formatProblem(problems[0]))
    this.name = 'WorkflowError'
    this.problems = problems
  }
}

/** `file:line:column: sentence next`, as editors and terminals make links of. */
function formatProblem(problem: WorkflowProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.sentence} ${problem.next}`
}
