// What lets one runner register. It has no printable form, so that it cannot reach a log, an event or a status.

const redacted = '[credential]'

export class Credential {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself. The only caller is the write of the runner's Secret. */
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
