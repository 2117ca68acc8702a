// The demo's Bitbucket: the emulator at a pace that a user can watch, and two sets with different labels.
import type { Control } from '@dayfly/forge-emulators/bitbucket/control'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import type { Pace } from '@dayfly/forges/bitbucket/account-state'
import { createBitbucketForge } from '@dayfly/forges/bitbucket/bitbucket'
import { CallBudget } from '@dayfly/forges/bitbucket/call-budget'
import { httpClient } from '@dayfly/kit/http-client'
import { randomName } from '@dayfly/kit/ids'
import { sharedAccounts } from '../accounts.ts'
import type { DemoForge, DemoForgeOptions, DemoSet } from '../forge.ts'

export interface BitbucketDemo extends DemoForge {
  readonly control: Control
  readonly repository: string
  /** Returns the number of calls that the controller made to the forge's API. */
  apiCalls(): number
}

const repository = 'app'
const secretName = 'bitbucket'
const tokenKey = 'bitbucketAccessToken'
/** The set `large` takes only steps that ask for its label, and all others, too. */
export const setLabels: Readonly<Record<string, readonly string[]>> = { linux: [], large: ['large'] }
/** Idle runners of each set. */
const spares = 2

/** Bitbucket's runners ask for a step every 30 s. The budget of 1,000 calls an hour holds here, too. */
const pace: Pace = { poll: { leastMs: 1_000, mostMs: 60_000 }, pickUpDelayMs: 1_500 }
/** A burst needs more runners than are online. The emulator lets its steps wait, as the step queue of a workspace does. */
const knobs = { pickUpMs: 1_000, silentS: 30, stepLostS: 60, noRunner: 'queue' } as const

/** @param ownLabels the lists of labels that the user's steps ask for: each gets a set of its own */
export async function openBitbucket(
  { clock, random, userAgent }: DemoForgeOptions,
  ownLabels: readonly (readonly string[])[],
): Promise<BitbucketDemo> {
  const token = randomName(random, 40)
  const emulator = createBitbucketEmulator({
    clock,
    random,
    workspaces: [{ slug: 'demo', repositories: [repository] }],
    credentials: [{ kind: 'access-token', token }],
    knobs,
  })
  const server = await emulator.listen(0)
  const url = `${server.origin}/demo`
  const client = httpClient()
  const budget = new CallBudget()
  let calls = 0
  const onExchange = () => {
    calls++
  }
  const forgeFor = sharedAccounts({ kind: 'bitbucket', origin: server.origin, url, tokenKey }, (account, own) =>
    createBitbucketForge({
      url: account,
      credential: { kind: 'access-token', token: own },
      transport: client.transport,
      clock,
      random,
      userAgent,
      budget,
      onExchange,
      pace,
    }),
  )
  return {
    control: emulator.control,
    repository,
    url,
    secret: { name: secretName, entries: { [tokenKey]: token } },
    sets: [
      ...Object.entries(setLabels),
      ...ownLabels.map((labels, index) => [`labels-${index + 1}`, labels] as const),
    ].map(([name, labels]) => demoSet(name, labels, url, server.origin)),
    forgeFor,
    registrations: () => emulator.control.runners().map(({ name }) => name),
    apiCalls: () => calls,
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}

/** The small runner learns from the template where the emulator is. The real runner knows its server. */
function demoSet(name: string, labels: readonly string[], url: string, origin: string): DemoSet {
  const runner = { name: 'runner', env: [{ name: 'DAYFLY_EMULATOR', value: origin }] }
  const bitbucket = { url, credentials: { secret: secretName }, labels }
  return { name, min: spares, spec: { bitbucket, template: { spec: { containers: [runner] } } } }
}
