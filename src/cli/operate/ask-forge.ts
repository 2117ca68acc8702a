// Asks the forge of a set for its registrations and its demand, with the set's own credential, proxy and certificates.
import { MissingAccess, readAccess } from '../../controller/credential.ts'
import { secrets } from '../../controller/resources.ts'
import type { ForgeAccess } from '../../forge/forge.ts'
import { createGitHubAccount } from '../../forge/github/account.ts'
import { readCredential } from '../../forge/github/credential.ts'
import { KubernetesError } from '../../kubernetes/errors.ts'
import { outboundClient } from '../../lib/outbound.ts'
import { configuredProxy } from '../../lib/proxy.ts'
import { SettingError } from '../../lib/setting-error.ts'
import { trustStore } from '../../lib/trust.ts'
import { PortError } from '../../model/port-error.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { ForgeReading } from '../../operate/picture.ts'
import { AccessFailure, type Known } from '../../operate/read.ts'
import type { SetView } from '../../operate/set-view.ts'
import { version } from '../version.ts'
import type { Opened } from './options.ts'

const connections = 4

/** Resolves with why the forge is not known if it does not answer. Throws an `AccessFailure` if the Secret cannot be read. */
export async function askForge(opened: Opened, view: SetView, set: RunnerSet): Promise<Known<ForgeReading>> {
  const access = await accessOf(opened, set)
  if (!access.known) return access
  try {
    return { known: true, value: await ask(opened, view, set, access.value) }
  } catch (error) {
    if (error instanceof PortError) return { known: false, why: `the forge did not answer: ${error.message}` }
    if (error instanceof SettingError) return { known: false, why: error.message }
    throw error
  }
}

async function ask(opened: Opened, view: SetView, { source }: RunnerSet, access: ForgeAccess): Promise<ForgeReading> {
  const { clock, random, signal } = opened
  const { username, password } = access.proxyCredential ?? {}
  const proxy = source.proxy && configuredProxy({ ...source.proxy, username, password })
  const trust = access.ca === undefined ? undefined : trustStore(access.ca)
  const client = outboundClient({ proxy, trust, connections })
  try {
    const credential = readCredential(access.credential, source.credentialsSecret)
    const caller = { clock, random, userAgent: `dayfly-cli/${version}`, transport: client.transport }
    const account = createGitHubAccount({ ...caller, url: source.url, credential })
    const id = view.forge['scaleSetId']
    const registrations = await account.registrations(signal)
    const own = id ? await account.set(id, signal) : undefined
    return { registrations: registrations.filter((one) => one.set === id), jobs: own?.assignedJobs }
  } finally {
    await client.close()
  }
}

async function accessOf(opened: Opened, set: RunnerSet): Promise<Known<ForgeAccess>> {
  try {
    const value = await readAccess(opened.kubernetes, set, opened.signal ?? new AbortController().signal)
    return { known: true, value }
  } catch (error) {
    if (error instanceof MissingAccess) return { known: false, why: error.message }
    if (!(error instanceof KubernetesError)) throw error
    const { namespace, source } = set
    throw new AccessFailure({ verb: 'get', resource: secrets, namespace, name: source.credentialsSecret }, error)
  }
}
