// The error of an environment variable that cannot be used.

/** `message` is the sentence. It names the variable, and never the value of headers. */
export class TelemetrySettingsError extends Error {
  /** The operator's next step. */
  readonly next: string

  constructor(sentence: string, next: string) {
    super(sentence)
    this.name = 'TelemetrySettingsError'
    this.next = next
  }
}
