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
  /** 2 (the default): the input is wrong and nothing was done. 1: it was tried and failed. */
  readonly exitCode?: 1 | 2
  readonly cause?: unknown
}

export class CliFailure extends Error {
  readonly code: string
  readonly next: string
  readonly at: string | undefined
  readonly exitCode: 1 | 2

  constructor(details: FailureDetails) {
    super(details.sentence, { cause: details.cause })
    this.name = 'CliFailure'
    this.code = details.code
    this.next = details.next
    this.at = details.at
    this.exitCode = details.exitCode ?? 2
  }
}

/** Any error as text for stderr. `debug` adds the stacks. */
export function describeFailure(error: unknown, debug: boolean): string {
  const lines: string[] = []
  if (error instanceof CliFailure) {
    if (error.at !== undefined) lines.push(error.at)
    lines.push(`error ${error.code}: ${error.message}`, `  next: ${error.next}`)
  } else {
    const message = error instanceof Error ? error.message : String(error)
    lines.push(`error unexpected: ${message.split('\n', 1)[0] || 'no message'}`)
    lines.push('  next: Run it again with DAYFLY_DEBUG=1 to see where it came from, and report it.')
  }
  if (debug) lines.push(...stacks(error))
  return `${lines.join('\n')}\n`
}

function stacks(error: unknown): string[] {
  const lines: string[] = []
  for (let cause = error; cause instanceof Error && lines.length < 8; cause = cause.cause) {
    lines.push(cause.stack ?? cause.message)
  }
  return lines
}
