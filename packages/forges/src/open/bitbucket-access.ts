// The Bitbucket account that an operator names with --bitbucket-workspace.
import { CliFailure } from '@dayfly/command-line/failure'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { createBitbucketAccount } from '../bitbucket/account.ts'
import { type BitbucketCredential, readCredential } from '../bitbucket/credential.ts'
import type { AccountOptions, Environment } from './account-options.ts'
import { readCredentialFile } from './credential-file.ts'

/** The names of Atlassian's autoscaler, and the key that each has in the Secret of a set. */
const keys: Readonly<Record<string, string>> = {
  BITBUCKET_OAUTH_CLIENT_ID: 'bitbucketOauthClientId',
  BITBUCKET_OAUTH_CLIENT_SECRET: 'bitbucketOauthClientSecret',
  ATLASSIAN_ACCOUNT_EMAIL: 'atlassianAccountEmail',
  ATLASSIAN_API_TOKEN: 'atlassianApiToken',
  BITBUCKET_ACCESS_TOKEN: 'bitbucketAccessToken',
}

const names =
  'BITBUCKET_OAUTH_CLIENT_ID and BITBUCKET_OAUTH_CLIENT_SECRET, or ATLASSIAN_ACCOUNT_EMAIL and ATLASSIAN_API_TOKEN, or BITBUCKET_ACCESS_TOKEN'

export const bitbucketOptions: AccountOptions = {
  account: 'bitbucketWorkspace',
  value: '<workspace>',
  place: 'this workspace at Bitbucket; also WORKSPACE/REPOSITORY',
  example: 'acme or acme/app',
  advice: 'Give the workspace as its address shows it, such as acme, or acme/app for one repository.',
  file: {
    flag: '--bitbucket-credential-file',
    key: 'bitbucketCredentialFile',
    holds: 'the credential for --bitbucket-workspace, one NAME=VALUE in each line; default: the environment',
  },
  // A URL is for an emulator.
  urlOf: (given) => (given.includes('://') ? given : `https://bitbucket.org/${given}`),
  read: async (file, environment) => {
    const credential = await readEntries(file, environment)
    return (access) => createBitbucketAccount({ ...access, credential })
  },
}

async function readEntries(file: string | undefined, environment: Environment): Promise<BitbucketCredential> {
  const given = file === undefined ? environment : linesOf(await readFile(file))
  const entries = Object.entries(keys).flatMap(([name, key]) => (given[name] ? [[key, given[name]] as const] : []))
  if (entries.length === 0) {
    const from = file === undefined ? 'none was given' : `${file} has none of its names`
    throw new CliFailure({
      code: 'bitbucket-credential-missing',
      sentence: `--bitbucket-workspace needs a credential, and ${from}.`,
      next: `Name its file with --bitbucket-credential-file, or set ${names}.`,
    })
  }
  try {
    return readCredential(Object.fromEntries(entries), '')
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    throw new CliFailure({
      code: 'bitbucket-credential-invalid',
      sentence: `The credential in ${file ?? 'the environment'} lacks its other half, or a value is not one word of ASCII characters.`,
      next: `Set ${names}.`,
    })
  }
}

function readFile(file: string): Promise<string> {
  const next = `Name a file with one NAME=VALUE in each line: ${names}.`
  return readCredentialFile({ file, code: 'bitbucket-credential', noun: 'credential', next })
}

function linesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, quoted = ''] = /^\s*(?:export\s+)?([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined ? [] : [[name, quoted.replace(/^(["'])(.*)\1$/, '$2')] as const]
  })
  return Object.fromEntries(pairs)
}
