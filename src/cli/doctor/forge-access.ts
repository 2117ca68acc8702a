// Opens the account at the forge that `--live` also reads. The token comes from a file or the environment, never from the command line.
import { readFile } from 'node:fs/promises'
import { Option } from 'commander'
import type { ForgeAccount } from '../../forge/account.ts'
import { createGitHubAccount } from '../../forge/github/account.ts'
import type { GitHubAccess } from '../../forge/github/tokens.ts'
import { httpClient } from '../../lib/http-client.ts'
import { PortError } from '../../model/port-error.ts'
import { CliFailure } from '../failure.ts'

export type ForgeChoice = { readonly githubUrl?: string; readonly githubTokenFile?: string }

export function forgeOptions(): readonly Option[] {
  return [
    new Option(
      '--github-url <url>',
      'with --live: also list the runners of this organization, repository or enterprise',
    ),
    new Option('--github-token-file <file>', 'the file with the token for --github-url; default: $GITHUB_TOKEN'),
  ]
}

type ForgeAccess = { readonly account: ForgeAccount | undefined; close(): Promise<void> }

/** Sends no request. Throws a CliFailure if the URL or the token cannot be used. */
export async function openForge(
  { githubUrl: url, githubTokenFile: file }: ForgeChoice,
  caller: Pick<GitHubAccess, 'clock' | 'random' | 'userAgent'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ForgeAccess> {
  if (url === undefined) return { account: undefined, close: async () => {} }
  refuseClearText(url)
  const token = file === undefined ? fromEnvironment(environment) : await fromFile(file)
  const client = httpClient()
  const credential = { kind: 'token', token } as const
  try {
    const account = createGitHubAccount({ ...caller, url, credential, transport: client.transport })
    return { account, close: () => client.close() }
  } catch (error) {
    await client.close()
    if (!(error instanceof PortError) || error.kind !== 'bad-config') throw error
    const next = 'Give the URL as a browser shows it, such as https://github.com/acme.'
    throw new CliFailure({ code: 'github-url-invalid', sentence: error.message, next, cause: error })
  }
}

/** Refuses plain HTTP, except to this machine: the network could read the token. */
function refuseClearText(given: string): void {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return
  throw new CliFailure({
    code: 'github-url-insecure',
    sentence: `The token would go to ${url.hostname} in clear text.`,
    next: 'Give the URL with https.',
  })
}

function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): string {
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
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new CliFailure({
      code: absent ? 'github-token-missing' : 'github-token-unreadable',
      sentence: absent ? `There is no token file ${file}.` : `The token file ${file} cannot be read.`,
      next: 'Name a file that holds the token and nothing else.',
      cause,
    })
  }
  return checked(text.trim(), file)
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
