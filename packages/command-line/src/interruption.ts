// Listens for Ctrl-C and other termination signals. The first signal asks for an orderly end, each further one for an immediate end.
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export class Interrupted extends Error {
  /** 128 plus the number of the signal, as shells report it. */
  readonly exitCode: number

  constructor(signal: keyof typeof signals) {
    super(`interrupted by ${signal}`)
    this.exitCode = signals[signal]
  }
}

export interface Interruption {
  /** The first signal aborts it with an `Interrupted`. */
  readonly signal: AbortSignal
  /** Stops listening. From then on, a signal ends the process directly. */
  release(): void
}

/** Starts listening. @param onRepeated called for every signal after the first. */
export function listenForInterruption(onRepeated: (interrupted: Interrupted) => void): Interruption {
  const first = new AbortController()
  const listeners = Object.keys(signals).map((name) => {
    const signal = name as keyof typeof signals
    const listener = () => {
      const interrupted = new Interrupted(signal)
      if (first.signal.aborted) onRepeated(interrupted)
      else first.abort(interrupted)
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  return {
    signal: first.signal,
    release: () => {
      for (const stop of listeners) stop()
    },
  }
}
