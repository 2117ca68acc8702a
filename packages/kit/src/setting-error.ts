// The error of a setting from outside that cannot be used: a proxy's address, a certificate, a private key.

/** The message is the end of a sentence whose subject is the setting. It never holds a secret. */
export class SettingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SettingError'
  }
}
