// The clients of a demo's forge. Sets with the same account and credential share one, and no set gets one for another forge.
import type { Forge } from '@dayfly/runner-set/forge/forge'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ForgeSource } from '@dayfly/runner-set/model/runner-set'
import type { DemoForge } from './forge.ts'

export type DemoOrigin = {
  readonly kind: ForgeSource['kind']
  /** Where the emulator listens. */
  readonly origin: string
  /** The URL of the account of the demo's sets. */
  readonly url: string
  /** The key of the Secret that has the token. */
  readonly tokenKey: string
}

export function sharedAccounts(
  { kind, origin, url, tokenKey }: DemoOrigin,
  create: (url: string, token: string) => Forge,
): DemoForge['forgeFor'] {
  const accounts = new Map<string, Forge>()
  return (source, { credential }) => {
    if (source.kind !== kind || !`${source.url}/`.startsWith(`${origin}/`)) {
      throw new PortError(kind, 'bad-config', `the demo can use only its own forge ${url}, not ${source.url}`)
    }
    const token = credential[tokenKey] ?? ''
    const key = JSON.stringify([source.url, token])
    const account = accounts.get(key) ?? create(source.url, token)
    accounts.set(key, account)
    return account
  }
}
