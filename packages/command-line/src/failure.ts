// The error that a command shows to its operator: a code, a sentence and a next step, without a stack.

export type FailureDetails = {
  /** A kebab-case code that stays the same across versions, so that scripts can rely on it. */
  readonly code: string
  /** One sentence that says what is wrong. */
  readonly sentence: string
  /** The operator's next step. */
  readonly next: string
  /** The place of the error: `file:line:column`, as editors read it. */
  readonly at?: string | undefined
  /** 2 (the default): the input is wrong and the command did nothing. 1: the command failed. 3: the doctor found nothing to analyse. */
  readonly exitCode?: 1 | 2 | 3
  readonly cause?: unknown
  /** Further errors, printed after this one. */
  readonly others?: readonly Omit<FailureDetails, 'exitCode' | 'cause' | 'others'>[]
}

export class CliFailure extends Error {
  readonly details: FailureDetails
  readonly exitCode: 1 | 2 | 3

  constructor(details: FailureDetails) {
    super(details.sentence, { cause: details.cause })
    this.name = 'CliFailure'
    this.details = details
    this.exitCode = details.exitCode ?? 2
  }
}

/** Returns the code of an error of the system, for example `EADDRINUSE`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown cause'
}

/** Describes any error for stderr. `debug` adds the stacks. */
export function describeFailure(error: unknown, debug: boolean): string {
  const lines = error instanceof CliFailure ? describeAll(error.details) : describeUnexpected(error)
  return [...lines, ...(debug ? stacks(error) : [])].join('\n')
}

function describeAll({ others = [], ...first }: FailureDetails): string[] {
  return [first, ...others].flatMap(({ at, code, sentence, next }) => [
    ...(at === undefined ? [] : [at]),
    `error ${code}: ${sentence}`,
    `  next: ${next}`,
  ])
}

function describeUnexpected(error: unknown): string[] {
  const message = error instanceof Error ? error.message : String(error)
  return [
    `error unexpected: ${message.split('\n', 1)[0] || 'no message'}`,
    '  next: Run the command again with DAYFLY_DEBUG=1 to see the stack, and report the error.',
  ]
}

function stacks(error: unknown): string[] {
  const lines: string[] = []
  for (let cause = error; cause instanceof Error && lines.length < 8; cause = cause.cause) {
    lines.push(cause.stack ?? cause.message)
  }
  return lines
}
