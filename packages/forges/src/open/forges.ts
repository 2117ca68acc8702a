// The forge accounts of a process: one for each URL and access. Sets share their tokens, their connections and their limits.
import { createHash } from 'node:crypto'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { HttpClient } from '@dayfly/kit/http-client'
import { type OutboundOptions, outboundClient } from '@dayfly/kit/outbound'
import type { Forge, ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { ForgeKind, ForgeSource } from '@dayfly/runner-set/model/runner-set'
import { callsAtOnceMax } from '../github/calls/calls.ts'
import { type Controlling, forgeOpeners } from './clients.ts'
import { routeTo } from './route.ts'

export interface Forges {
  /** Returns the account of a set: the same one for the same URL and access. Throws a `PortError` for a configuration that cannot work. */
  forgeFor(source: ForgeSource, access: ForgeAccess): Forge
  /** Asks every account of this forge soon, because something may have changed there. */
  hasten(kind: ForgeKind): void
  /** Closes every connection. */
  close(): Promise<void>
}

export type ForgesOptions = Omit<Controlling, 'forceServer'> & {
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY for sets without a proxy; NODE_EXTRA_CA_CERTS; GITHUB_ACTIONS_FORCE_GHES. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Opens a client. The default uses sockets. */
  readonly connect?: (options: OutboundOptions) => HttpClient
}

type Account = {
  readonly kind: ForgeKind
  readonly forge: Forge
  readonly client: Client
  usedAt: Instant
  links: number
}
type Client = HttpClient & { accounts: number }

/** Connections for lists, tokens and acknowledgements beside a burst of registrations. */
const otherCalls = 16
/** Connections to one server for whole answers. */
const connections = callsAtOnceMax + otherCalls
/** A list of 10,000 runners has 7 MB. A server that sends more is no forge, and must not fill the memory of all sets. */
const bytesMax = 16 * 2 ** 20
/** An account without a link is forgotten after this time, in milliseconds: its credential was replaced. */
const unusedMsMax = 10 * 60_000

/** Opens no connection and reads no file before the first set needs it. */
export function createForges(options: ForgesOptions): Forges {
  const { clock, environment, connect = outboundClient } = options
  const accounts = new Map<string, Account>()
  const clients = new Map<string, Client>()
  const openers = forgeOpeners({ ...options, forceServer: environment['GITHUB_ACTIONS_FORCE_GHES'] !== undefined })
  const forgetUnused = () => {
    for (const [key, { client, links, usedAt }] of accounts) {
      if (links > 0 || clock.now() - usedAt < unusedMsMax) continue
      accounts.delete(key)
      if (--client.accounts > 0) continue
      for (const [name, each] of clients) if (each === client) clients.delete(name)
      void client.close()
    }
  }
  const open = (source: ForgeSource, access: ForgeAccess): Account => {
    const create = openers[source.kind](source, access.credential)
    const client = entry(clients, keyOf([source.proxy, access.proxyCredential, access.ca]), () => ({
      ...connect({ ...routeTo(source, access, environment), connections, bytesMax }),
      accounts: 0,
    }))
    const forge = create(client.transport)
    client.accounts++
    return { kind: source.kind, forge, client, usedAt: clock.now(), links: 0 }
  }
  return {
    forgeFor: (source, access) => {
      forgetUnused()
      const account = entry(accounts, keyOf([source.kind, source.url, source.proxy, access]), () =>
        open(source, access),
      )
      account.usedAt = clock.now()
      return counted(account, clock)
    },
    hasten: (kind) => {
      for (const account of accounts.values()) if (account.kind === kind) account.forge.hasten()
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

/** Counts the open links of an account. A link that fails to open, is closed, or loses its signal no longer counts. */
function counted(account: Account, clock: Clock): Forge {
  const { forge } = account
  return {
    traits: forge.traits,
    hasten: () => forge.hasten(),
    open: async (set, remembered, until) => {
      account.links++
      let isOpen = true
      const leave = () => {
        if (isOpen) account.links--
        isOpen = false
        account.usedAt = clock.now()
        until.removeEventListener('abort', leave)
      }
      until.addEventListener('abort', leave, { once: true })
      try {
        const link = await forge.open(set, remembered, until)
        const close = link.close.bind(link)
        link.close = (how) => close(how).finally(leave)
        return link
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

/** The key holds secrets only as a hash. */
function keyOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
