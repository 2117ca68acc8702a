// Opens the account at the forge that a command also reads. Credentials come from a file or the environment, never from the command line.
import { CliFailure } from '@dayfly/command-line/failure'
import type { Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { Option } from 'commander'
import { createBitbucketAccount } from '../bitbucket/account.ts'
import { createGitHubAccount } from '../github/account.ts'
import { bitbucketCredential, bitbucketUrl } from './bitbucket-access.ts'
import type { Caller } from './clients.ts'
import { readCredentialFile } from './credential-file.ts'

export type ForgeChoice = {
  readonly githubUrl?: string
  readonly githubTokenFile?: string
  readonly bitbucketWorkspace?: string
  readonly bitbucketCredentialFile?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** @param where begins the descriptions of the two accounts */
export function forgeOptions(where: string): readonly Option[] {
  return [
    new Option('--github-url <url>', `${where}the runners of this organization, repository or enterprise at GitHub`),
    new Option('--github-token-file <file>', 'the file with the token for --github-url; default: $GITHUB_TOKEN'),
    new Option(
      '--bitbucket-workspace <workspace>',
      `${where}the runners of this workspace at Bitbucket; also WORKSPACE/REPOSITORY`,
    ),
    new Option(
      '--bitbucket-credential-file <file>',
      'the file with the credential for --bitbucket-workspace, one NAME=VALUE in each line; default: the environment',
    ),
  ]
}

/** Returns whether an option for an account was given. */
export function namesForge({ githubUrl, githubTokenFile, bitbucketWorkspace, bitbucketCredentialFile }: ForgeChoice) {
  return (githubUrl ?? githubTokenFile ?? bitbucketWorkspace ?? bitbucketCredentialFile) !== undefined
}

/** Refuses options that do not fit together. */
export function checkForgeChoice(choice: ForgeChoice): void {
  const { githubUrl, githubTokenFile, bitbucketWorkspace, bitbucketCredentialFile } = choice
  const usage = (sentence: string, next: string) => new CliFailure({ code: 'usage', sentence, next })
  if (githubUrl !== undefined && bitbucketWorkspace !== undefined) {
    throw usage('--github-url and --bitbucket-workspace name two accounts.', 'Run the command once for each.')
  }
  if (githubTokenFile !== undefined && githubUrl === undefined) {
    throw usage('--github-token-file is for --github-url.', 'Add --github-url, such as https://github.com/acme.')
  }
  if (bitbucketCredentialFile !== undefined && bitbucketWorkspace === undefined) {
    throw usage(
      '--bitbucket-credential-file is for --bitbucket-workspace.',
      'Add --bitbucket-workspace, such as acme or acme/app.',
    )
  }
}

type ForgeAccess = { readonly account: ForgeAccount | undefined; close(): Promise<void> }

/** Sends no request. Throws a CliFailure if the URL or the credential cannot be used. */
export async function openForge(choice: ForgeChoice, caller: Caller, environment: Environment): Promise<ForgeAccess> {
  const { githubUrl, githubTokenFile, bitbucketWorkspace, bitbucketCredentialFile } = choice
  if (githubUrl !== undefined) {
    refuseClearText('github', githubUrl)
    const token = githubTokenFile === undefined ? fromEnvironment(environment) : await fromFile(githubTokenFile)
    const credential = { kind: 'token', token } as const
    return opened('github', (transport) => createGitHubAccount({ ...caller, url: githubUrl, credential, transport }))
  }
  if (bitbucketWorkspace !== undefined) {
    const url = bitbucketUrl(bitbucketWorkspace)
    refuseClearText('bitbucket', url)
    const credential = await bitbucketCredential(bitbucketCredentialFile, environment)
    return opened('bitbucket', (transport) => createBitbucketAccount({ ...caller, url, credential, transport }))
  }
  return { account: undefined, close: async () => {} }
}

const examples = {
  github: 'Give the URL as a browser shows it, such as https://github.com/acme.',
  bitbucket: 'Give the workspace as its address shows it, such as acme, or acme/app for one repository.',
} as const

async function opened(
  forge: keyof typeof examples,
  create: (transport: Transport) => ForgeAccount,
): Promise<ForgeAccess> {
  const client = httpClient()
  try {
    return { account: create(client.transport), close: () => client.close() }
  } catch (error) {
    await client.close()
    if (!(error instanceof PortError) || error.kind !== 'bad-config') throw error
    const next = examples[forge]
    throw new CliFailure({ code: `${forge}-url-invalid`, sentence: error.message, next, cause: error })
  }
}

/** Refuses plain HTTP, except to this machine: the network could read the credential. */
function refuseClearText(forge: string, given: string): void {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return
  throw new CliFailure({
    code: `${forge}-url-insecure`,
    sentence: `The credential would go to ${url.hostname} in clear text.`,
    next: 'Give the URL with https.',
  })
}

function fromEnvironment(environment: Environment): string {
  const token = environment['GITHUB_TOKEN']?.trim() ?? ''
  if (token === '') {
    throw new CliFailure({
      code: 'github-token-missing',
      sentence: '--github-url needs a token, and none was given.',
      next: 'Name its file with --github-token-file, or set GITHUB_TOKEN.',
    })
  }
  return checked(token, 'GITHUB_TOKEN')
}

async function fromFile(file: string): Promise<string> {
  const next = 'Name a file that holds the token and nothing else.'
  return checked((await readCredentialFile({ file, code: 'github-token', noun: 'token', next })).trim(), file)
}

/** Refuses a text that an HTTP header cannot hold. The message never repeats the text. */
function checked(token: string, from: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw new CliFailure({
    code: 'github-token-invalid',
    sentence: `The token in ${from} is not valid: it must be one word of ASCII characters.`,
    next: 'Write the token there, and nothing else.',
  })
}
