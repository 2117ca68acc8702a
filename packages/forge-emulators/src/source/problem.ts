// The problems of a file that an emulated forge runs, worded for its author.
import type { SourceKind } from './kind.ts'

export type SourceProblem = {
  /** A stable code for scripts. */
  readonly code: `${SourceKind['code']}-${'missing' | 'too-large' | 'binary' | 'syntax' | 'invalid' | 'unsupported'}`
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

/** A file that cannot be run, with one to ten problems in the order of the file. The message is the first problem. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly [SourceProblem, ...SourceProblem[]]) {
    super(formatProblem(problems[0]))
    this.name = 'SourceError'
    this.problems = problems
  }
}

/** Formats a problem as `file:line:column: sentence next`, which editors and terminals turn into a link. */
function formatProblem(problem: SourceProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.sentence} ${problem.next}`
}
