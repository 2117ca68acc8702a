// The demo's Gitea: the emulator at a pace that a user can watch, and a set whose runners have the labels of all jobs.
import type { Control } from '@dayfly/forge-emulators/gitea/control'
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import type { EmulatedOwner } from '@dayfly/forge-emulators/gitea/state'
import type { Pace } from '@dayfly/forges/gitea/account-state'
import { createGiteaForge } from '@dayfly/forges/gitea/gitea'
import { httpClient } from '@dayfly/kit/http-client'
import { randomName } from '@dayfly/kit/ids'
import { sharedAccounts } from '../accounts.ts'
import type { DemoForge, DemoForgeOptions, DemoSet } from '../forge.ts'

export interface GiteaDemo extends DemoForge {
  readonly control: Control
  /** Returns the number of calls that the controller made to the forge's API. */
  apiCalls(): number
}

export type GiteaContents = {
  /** The repositories of the workflow files as `owner/name`. */
  readonly repositories: readonly string[]
  /** The labels of each set. */
  readonly labels: readonly (readonly string[])[]
}

const setName = 'demo'
const secretName = 'gitea'
const tokenKey = 'gitea_token'
/** No owner of a repository may have the name of the token's user. */
const user = 'dayfly-demo'

/** No other program uses this server, so the lists may come faster than from one of others. */
const pace: Pace = { leastMs: 200, busyMs: 500, steadyMs: 500, mostMs: 1_000, pickUpDelayMs: 1_000 }

/** The sets take the jobs of the whole server, because each file may be from another owner. */
export async function openGitea(
  { clock, random, userAgent }: DemoForgeOptions,
  { repositories, labels }: GiteaContents,
): Promise<GiteaDemo> {
  const token = randomName(random, 40)
  const emulator = createGiteaEmulator({
    clock,
    random,
    owners: ownersOf(repositories),
    credentials: [{ token, user, isSiteAdmin: true, scopes: ['write:admin', 'read:repository'] }],
  })
  const server = await emulator.listen(0)
  const url = server.origin
  const client = httpClient()
  let calls = 0
  const onExchange = () => {
    calls++
  }
  const forgeFor = sharedAccounts({ kind: 'gitea', origin: server.origin, url, tokenKey }, (account, own) =>
    createGiteaForge({
      url: account,
      token: own,
      transport: client.transport,
      clock,
      random,
      userAgent,
      onExchange,
      pace,
    }),
  )
  return {
    control: emulator.control,
    url,
    secret: { name: secretName, entries: { [tokenKey]: token } },
    sets: labels.map((each, index) => demoSet(index === 0 ? setName : `${setName}-${index + 1}`, each, url)),
    forgeFor,
    registrations: () => emulator.control.runners().map(({ name }) => name),
    apiCalls: () => calls,
    close: async () => {
      await client.close()
      await server.close()
    },
  }
}

function demoSet(name: string, labels: readonly string[], url: string): DemoSet {
  const others = labels.filter((label) => label !== name)
  return { name, min: 0, spec: { gitea: { url, credentials: { secret: secretName }, labels: others } } }
}

function ownersOf(repositories: readonly string[]): readonly EmulatedOwner[] {
  const owners = new Map<string, string[]>()
  for (const each of repositories) {
    const [owner = '', name = ''] = each.split('/')
    owners.set(owner, [...(owners.get(owner) ?? []), name])
  }
  return [...owners].map(([name, own]) => ({ name, kind: 'organization', repositories: own }))
}
