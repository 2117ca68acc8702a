// Reads the one token that a forge wants from a file or the environment. No message repeats its text.
import { CliFailure } from '@dayfly/command-line/failure'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { accountFlags } from './account-flags.ts'
import type { Environment } from './account-options.ts'
import { readCredentialFile } from './credential-file.ts'

export type TokenPlace = {
  readonly forge: ForgeKind
  /** The option for the file. */
  readonly flag: string
  /** The variable of the environment. */
  readonly variable: string
}

/** Throws a `CliFailure` that names the next step if there is no token, or if an HTTP header cannot hold it. */
export async function readToken(
  { forge, flag, variable }: TokenPlace,
  file: string | undefined,
  environment: Environment,
): Promise<string> {
  if (file !== undefined) {
    const next = 'Name a file that holds the token and nothing else.'
    const text = await readCredentialFile({ file, code: `${forge}-token`, noun: 'token', next })
    return checked(forge, text.trim(), file)
  }
  const token = environment[variable]?.trim() ?? ''
  if (token !== '') return checked(forge, token, variable)
  throw new CliFailure({
    code: `${forge}-token-missing`,
    sentence: `${accountFlags[forge]} needs a token, and none was given.`,
    next: `Name its file with ${flag}, or set ${variable}.`,
  })
}

function checked(forge: ForgeKind, token: string, from: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw new CliFailure({
    code: `${forge}-token-invalid`,
    sentence: `The token in ${from} is not valid: it must be one word of ASCII characters.`,
    next: 'Write the token there, and nothing else.',
  })
}
