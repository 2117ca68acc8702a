// The forge accounts of a process: one for each URL and access. Sets share their tokens, their connections and their limits.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SecureContext } from 'node:tls'
import type { Forge, ForgeAccess, ForgeExchange } from '../forge/forge.ts'
import { callsAtOnceMax } from '../forge/github/calls.ts'
import { readCredential } from '../forge/github/credential.ts'
import { createGitHubForge } from '../forge/github/github.ts'
import type { AnomalyLog } from '../forge/github/protocol-anomaly.ts'
import { SharedLimits } from '../forge/github/shared-limits.ts'
import type { Clock, Instant } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http-client.ts'
import { outboundClient } from '../lib/outbound.ts'
import { configuredProxy, environmentProxy, type ProxyChoice } from '../lib/proxy.ts'
import type { Random } from '../lib/random.ts'
import { SettingError } from '../lib/setting-error.ts'
import { certificatesIn, trustStore } from '../lib/trust.ts'
import { PortError } from '../model/port-error.ts'
import type { ForgeSource } from '../model/runner-set.ts'

export interface Forges {
  /** Returns the account of a set: the same one for the same URL and access. Throws a `PortError` for a configuration that cannot work. */
  forgeFor(source: ForgeSource, access: ForgeAccess): Forge
  /** Closes every connection. */
  close(): Promise<void>
}

export type ForgesOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** The owner of message sessions, for example the pod's name. */
  readonly owner: string
  /** Receives the protocol anomalies of every forge. */
  readonly onAnomaly: AnomalyLog
  /** Receives each request to a forge, for metrics. */
  readonly onExchange: (exchange: ForgeExchange) => void
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY for sets without a proxy; NODE_EXTRA_CA_CERTS; GITHUB_ACTIONS_FORCE_GHES. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

type Account = { readonly forge: Forge; readonly client: Client; usedAt: Instant; links: number }
type Client = HttpClient & { accounts: number }

/** Connections for lists, tokens and acknowledgements beside a burst of registrations. */
const otherCalls = 16
/** Connections to one server for whole answers. */
const connections = callsAtOnceMax + otherCalls
/** An account without a link is forgotten after this time, in milliseconds: its credential was replaced. */
const unusedMsMax = 10 * 60_000

/** Opens no connection and reads no file before the first set needs it. */
export function createForges(options: ForgesOptions): Forges {
  const { clock, environment } = options
  const accounts = new Map<string, Account>()
  const clients = new Map<string, Client>()
  const limits = new SharedLimits()
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
    const credential = readCredential(access.credential, source.credentialsSecret)
    const client = entry(clients, keyOf([source.proxy, access.proxyCredential, access.ca]), () => ({
      ...outboundClient({ ...wayTo(source, access, environment), connections }),
      accounts: 0,
    }))
    const { url } = source
    const forceServer = environment['GITHUB_ACTIONS_FORCE_GHES'] !== undefined
    const log = options.onAnomaly
    const forge = createGitHubForge({
      ...options,
      url,
      credential,
      transport: client.transport,
      log,
      limits,
      forceServer,
    })
    client.accounts++
    return { forge, client, usedAt: clock.now(), links: 0 }
  }
  return {
    forgeFor: (source, access) => {
      forgetUnused()
      const account = entry(accounts, keyOf([source.url, source.proxy, access]), () => open(source, access))
      account.usedAt = clock.now()
      return counted(account, clock)
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

/** The proxy and the trusted certificates of a set: its own, else those of the environment. */
function wayTo(
  { proxy, ca }: ForgeSource,
  access: ForgeAccess,
  environment: ForgesOptions['environment'],
): { readonly proxy: ProxyChoice | undefined; readonly trust: SecureContext | undefined } {
  const { username, password } = access.proxyCredential ?? {}
  const secret = proxy?.credentialsSecret
  if (access.proxyCredential && username === undefined) {
    const next = 'Store the user name there, and the password in the key password.'
    throw badConfig(`The Secret ${secret} of spec.github.proxy has no key username. ${next}`)
  }
  const choice = setting('spec.github.proxy.url', () =>
    proxy ? configuredProxy({ url: proxy.url, username, password, noProxy: proxy.noProxy }) : undefined,
  )
  const own = access.ca
  const object = ca && `The key ${ca.key} of the ${ca.kind === 'secret' ? 'Secret' : 'ConfigMap'} ${ca.name}`
  if (own !== undefined) setting(`${object ?? 'spec.github.ca'}`, () => certificatesIn(own))
  const texts = own === undefined ? [] : [own, ...extraCertificates(environment)]
  return {
    proxy: choice ?? setting('The environment variable', () => proxyOf(environment)),
    trust: texts.length > 0 ? trustStore(...texts) : undefined,
  }
}

/** Returns undefined if the environment has no proxy: then the client needs no dial of its own. */
function proxyOf(environment: ForgesOptions['environment']): ProxyChoice | undefined {
  const names = ['https_proxy', 'http_proxy']
  const isSet = names.some((name) => environment[name] || environment[name.toUpperCase()])
  return isSet ? environmentProxy(environment) : undefined
}

/** Node.js adds these certificates to its roots only where no other ones are given. */
function extraCertificates(environment: ForgesOptions['environment']): readonly string[] {
  const file = environment['NODE_EXTRA_CA_CERTS']
  if (!file) return []
  try {
    return certificatesIn(readFileSync(file, 'utf8'))
  } catch {
    // Node.js itself warns of such a file at the start and goes on.
    return []
  }
}

function setting<T>(subject: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw badConfig(`${subject} ${error.message}. Correct it; Dayfly reads it again within a minute.`)
  }
}

function badConfig(message: string): PortError {
  return new PortError('github', 'bad-config', message)
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
