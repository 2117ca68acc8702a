// A command with its streams on plain values: bytes into its standard input, bytes out of its outputs, and its end.

/** Takes a piece of output. The command waits until the promise resolves. */
export type Sink = (data: Uint8Array) => Promise<void>

export type CommandOrder = {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** Whether the command gets a standard input. Without one it reads an end of file. */
  readonly stdin: boolean
  /** If undefined, the output is dropped. */
  readonly stdout: Sink | undefined
  readonly stderr: Sink | undefined
}

export type CommandEnd =
  /** The exit code is 128 + n for signal n. */
  | { readonly is: 'exited'; readonly exitCode: number }
  /** The command did not start, or was killed before it could end. */
  | { readonly is: 'failed'; readonly message: string }

export interface CommandSession {
  /** Writes to the standard input. Resolves when more may follow. Drops what the command can no longer read. */
  write(data: Uint8Array): Promise<void>
  /** Closes the standard input. */
  endInput(): void
  /** Resolves when the command has ended and its output is delivered. Never rejects. */
  readonly ended: Promise<CommandEnd>
}

/** Returns the session of a command without input, whose end is decided elsewhere. */
export function sessionOf(end: CommandEnd | Promise<CommandEnd>): CommandSession {
  return { write: async () => {}, endInput: () => {}, ended: Promise.resolve(end) }
}
