// An error as the user of the command line meets it: a code, a sentence, a next step. Never a stack.

export type FailureDetails = {
  /** Closed, kebab-case, stable across versions: what scripts and searches rest on. */
  readonly code: string
  /** One sentence: what is wrong. */
  readonly sentence: string
  /** What the user can do next. */
  readonly next: string
  /** Where it stands: `file:line:column` as editors understand it. */
  readonly at?: string | undefined
  /** 2 (the default): the input is wrong and nothing was done. 1: it was tried and failed. 3: the doctor had nothing to analyse. */
  readonly exitCode?: 1 | 2 | 3
  readonly cause?: unknown
  /** Further things that are wrong, told after this one. */
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

/** Any error as text for stderr. `debug` adds the stacks. */
export function describeFailure(error: unknown, debug: boolean): string {
  const lines = error instanceof CliFailure ? describeAll(error.details) : describeUnexpected(error)
  return [...lines, ...(debug ? stacks(error) : []), ''].join('\n')
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
    '  next: Run it again with DAYFLY_DEBUG=1 to see where it came from, and report it.',
  ]
}

function stacks(error: unknown): string[] {
  const lines: string[] = []
  for (let cause = error; cause instanceof Error && lines.length < 8; cause = cause.cause) {
    lines.push(cause.stack ?? cause.message)
  }
  return lines
}
