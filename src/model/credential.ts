// The credential that lets one runner register. It has no printable form, so that it cannot reach a log, an event or a status.

const redacted = '[credential]'

export class Credential {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Returns the secret itself. Only the write of the runner's Secret calls this. */
  reveal(): string {
    return this.#secret
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted
  }
}
