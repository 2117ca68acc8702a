// GitHub Apps for tests: their keys, as the emulator knows them and as a Secret holds them.
import { generateKeyPairSync } from 'node:crypto'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { EmulatedApp } from './apps.ts'

export type TestApp = {
  readonly app: EmulatedApp
  /** The entries of the Secret. @param suffix the part of the keys after their name, for example `.2` */
  entries(options?: {
    readonly suffix?: string
    readonly format?: 'pkcs1' | 'pkcs8'
    readonly installationId?: boolean
  }): SecretEntries
}

/** Creates an App that is installed at one account. Slow: it creates an RSA key. */
export function testApp(id: number, account = 'acme'): TestApp {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const installation = { id: id * 10, account }
  return {
    app: {
      id,
      clientId: `Iv1.${id}`,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      installations: [installation],
    },
    entries: ({ suffix = '', format = 'pkcs1', installationId = true } = {}) => ({
      [`github_app_id${suffix}`]: String(id),
      [`github_app_private_key${suffix}`]: privateKey.export({ type: format, format: 'pem' }).toString().trim(),
      ...(installationId ? { [`github_app_installation_id${suffix}`]: String(installation.id) } : {}),
    }),
  }
}
