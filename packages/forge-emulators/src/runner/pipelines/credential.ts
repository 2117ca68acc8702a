// Reads the identity of a Bitbucket runner from the environment (docs/reference/bitbucket.md#s3-2).

export type StepRunnerCredential = {
  /** The address of the emulated Bitbucket, with a slash at the end. */
  readonly origin: string
  /** UUIDs in braces. */
  readonly account: string
  readonly runner: string
  readonly client: { readonly id: string; readonly secret: string }
}

/** The real runner knows its server. The small one reads the address of the emulator from this variable. */
const originName = 'DAYFLY_EMULATOR'

/** The variables of the runner itself. Steps do not see them. */
export const ownVariables: readonly string[] = [
  'ACCOUNT_UUID',
  'REPOSITORY_UUID',
  'RUNNER_UUID',
  'OAUTH_CLIENT_ID',
  'OAUTH_CLIENT_SECRET',
  'WORKING_DIRECTORY',
  originName,
]

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the credential, or a sentence about the first variable that is missing or not valid. */
export function readStepCredential(environment: Environment): StepRunnerCredential | string {
  const [origin, account, runner, id, secret] = [
    originName,
    'ACCOUNT_UUID',
    'RUNNER_UUID',
    'OAUTH_CLIENT_ID',
    'OAUTH_CLIENT_SECRET',
  ].map((name) => environment[name] ?? '')
  if (!origin || !URL.canParse(origin)) return `${originName} is not the address of an emulated Bitbucket.`
  if (!account || !isUuid(account)) return 'ACCOUNT_UUID is not a UUID in braces.'
  if (!runner || !isUuid(runner)) return 'RUNNER_UUID is not a UUID in braces.'
  if (!id || !secret) return 'OAUTH_CLIENT_ID or OAUTH_CLIENT_SECRET is not set.'
  return { origin: origin.endsWith('/') ? origin : `${origin}/`, account, runner, client: { id, secret } }
}

function isUuid(text: string): boolean {
  return /^\{[0-9a-f-]{36}\}$/i.test(text)
}
