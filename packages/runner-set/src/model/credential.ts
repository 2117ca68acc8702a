// The credential that lets one runner register: the entries of its Secret. It has no printable form, so that it cannot reach a log, an event or a status.

const redacted = '[credential]'

/** The entries of a Secret by key, as text. */
export type SecretEntries = Readonly<Record<string, string>>

export class Credential {
  readonly #entries: SecretEntries

  constructor(entries: SecretEntries) {
    this.#entries = entries
  }

  /** Returns the secret entries themselves. Only the write of the runner's Secret calls this. */
  reveal(): SecretEntries {
    return this.#entries
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
