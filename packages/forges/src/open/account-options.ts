// How an operator names an account at one forge on the command line. Each forge has one table beside this file.
import type { Transport } from '@dayfly/kit/http'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { Caller } from './clients.ts'

/** At most one account, and the file with its credential. */
export type ForgeChoice = {
  readonly githubUrl?: string
  readonly githubTokenFile?: string
  readonly bitbucketWorkspace?: string
  readonly bitbucketCredentialFile?: string
  readonly giteaUrl?: string
  readonly giteaTokenFile?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

export type AccountOptions = {
  /** The part of the choice that names the account. */
  readonly account: keyof ForgeChoice
  /** Its value in the help, with brackets. */
  readonly value: string
  /** The places that it can name, in words. */
  readonly place: string
  /** Follows "such as". */
  readonly example: string
  /** The next step after an account that cannot be. */
  readonly advice: string
  /** The option for the file with the credential, and the part of the choice that holds it. */
  readonly file: { readonly flag: string; readonly key: keyof ForgeChoice; readonly holds: string }
  readonly urlOf: (given: string) => string
  /**
   * Reads the credential, and returns how to open the account with it.
   * @param file undefined: the credential is in the environment
   */
  readonly read: (file: string | undefined, environment: Environment) => Promise<OpenAccount>
}

/** Sends no request. Throws a `PortError` of kind `bad-config` for a URL that the forge cannot have. */
export type OpenAccount = (access: Caller & { readonly url: string; readonly transport: Transport }) => ForgeAccount
