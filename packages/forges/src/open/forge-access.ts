// Opens the account at the forge that a command also reads. Credentials come from a file or the environment, never from the command line.
import { CliFailure } from '@dayfly/command-line/failure'
import { type HttpClient, httpClient } from '@dayfly/kit/http-client'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { Option } from 'commander'
import { accountFlags } from './account-flags.ts'
import type { AccountOptions, Environment, ForgeChoice } from './account-options.ts'
import { bitbucketOptions } from './bitbucket-access.ts'
import type { Caller } from './clients.ts'
import { giteaOptions } from './gitea-access.ts'
import { githubOptions } from './github-access.ts'

const forges: Readonly<Record<ForgeKind, AccountOptions>> = {
  github: githubOptions,
  bitbucket: bitbucketOptions,
  gitea: giteaOptions,
}
const kinds = Object.keys(forges) as readonly ForgeKind[]

/** @param where begins the descriptions of the accounts */
export function forgeOptions(where: string): readonly Option[] {
  return kinds.flatMap((kind) => {
    const { value, place, file } = forges[kind]
    return [
      new Option(`${accountFlags[kind]} ${value}`, `${where}the runners of ${place}`),
      new Option(`${file.flag} <file>`, `the file with ${file.holds}`),
    ]
  })
}

/** Returns whether an option for an account was given. */
export function namesForge(choice: ForgeChoice): boolean {
  return kinds.some((kind) => (choice[forges[kind].account] ?? choice[forges[kind].file.key]) !== undefined)
}

/** Returns the option with which the account was named; undefined without one. */
export function accountFlagOf(choice: ForgeChoice): string | undefined {
  const kind = namedIn(choice)[0]
  return kind && accountFlags[kind]
}

/** Refuses options that do not fit together. */
export function checkForgeChoice(choice: ForgeChoice): void {
  const usage = (sentence: string, next: string) => new CliFailure({ code: 'usage', sentence, next })
  const named = namedIn(choice)
  if (named.length > 1) {
    const flags = named.map((kind) => accountFlags[kind]).join(' and ')
    throw usage(`${flags} name ${named.length === 2 ? 'two' : 'several'} accounts.`, 'Run the command once for each.')
  }
  for (const kind of kinds) {
    const { account, example, file } = forges[kind]
    if (choice[file.key] === undefined || choice[account] !== undefined) continue
    const flag = accountFlags[kind]
    throw usage(`${file.flag} is for ${flag}.`, `Add ${flag}, such as ${example}.`)
  }
}

function namedIn(choice: ForgeChoice): readonly ForgeKind[] {
  return kinds.filter((kind) => choice[forges[kind].account] !== undefined)
}

type ForgeAccess = { readonly account: ForgeAccount | undefined; close(): Promise<void> }

/** Sends no request. Throws a CliFailure if the URL or the credential cannot be used. */
export async function openForge(choice: ForgeChoice, caller: Caller, environment: Environment): Promise<ForgeAccess> {
  const [kind] = namedIn(choice)
  const given = kind && choice[forges[kind].account]
  if (kind === undefined || given === undefined) return { account: undefined, close: async () => {} }
  const { urlOf, file, read, advice } = forges[kind]
  const url = urlOf(given)
  refuseClearText(kind, url)
  const create = await read(choice[file.key], environment)
  const client = httpClient()
  return opened(client, { kind, advice }, () => create({ ...caller, url, transport: client.transport }))
}

async function opened(
  client: HttpClient,
  { kind, advice }: { readonly kind: ForgeKind; readonly advice: string },
  create: () => ForgeAccount,
): Promise<ForgeAccess> {
  try {
    return { account: create(), close: () => client.close() }
  } catch (error) {
    await client.close()
    if (!(error instanceof PortError) || error.kind !== 'bad-config') throw error
    throw new CliFailure({ code: `${kind}-url-invalid`, sentence: error.message, next: advice, cause: error })
  }
}

/** Refuses plain HTTP, except to this machine: the network could read the credential. */
function refuseClearText(kind: ForgeKind, given: string): void {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return
  throw new CliFailure({
    code: `${kind}-url-insecure`,
    sentence: `The credential would go to ${url.hostname} in clear text.`,
    next: 'Give the URL with https.',
  })
}
