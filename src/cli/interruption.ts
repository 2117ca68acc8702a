// Ctrl-C and its kin: the first asks for an orderly end, a second one for a fast one.
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export class Interrupted extends Error {
  /** As a shell reports it: 128 and the number of the signal. */
  readonly exitCode: number

  constructor(signal: keyof typeof signals) {
    super(`interrupted by ${signal}`)
    this.exitCode = signals[signal]
  }
}

export interface Interruption {
  /** Aborted with an `Interrupted` by the first signal. */
  readonly signal: AbortSignal
  /** No longer listens: signals end the process again by themselves. */
  release(): void
}

/** Listens from now on. @param harder called by every signal but the first. */
export function listenForInterruption(harder: (interrupted: Interrupted) => void): Interruption {
  const first = new AbortController()
  const listeners = Object.keys(signals).map((name) => {
    const signal = name as keyof typeof signals
    const listener = () => {
      const interrupted = new Interrupted(signal)
      if (first.signal.aborted) harder(interrupted)
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
