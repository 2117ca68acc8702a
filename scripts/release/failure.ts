// The errors of a release, in the form of the commands: a code, a sentence and a next step.

export class ReleaseFailure extends Error {
  readonly code: string
  readonly next: string

  constructor(code: string, sentence: string, next: string) {
    super(sentence)
    this.code = code
    this.next = next
  }
}

/** Runs the program. On a `ReleaseFailure` it prints the error and sets the exit code 1. */
export async function runRelease(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof ReleaseFailure)) throw error
    process.stderr.write(`error ${error.code}: ${error.message}\n  next: ${error.next}\n`)
    process.exitCode = 1
  }
}
