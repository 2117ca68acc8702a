// Asks the forge of a set for its registrations and its demand, with the set's own credential, proxy and certificates.
import { version } from '@dayfly/command-line/version'
import { accountOpeners } from '@dayfly/forges/open/clients'
import { routeTo } from '@dayfly/forges/open/route'
import { unreachable } from '@dayfly/kit/assert'
import { outboundClient } from '@dayfly/kit/outbound'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { isPaused } from '@dayfly/runner-set/core/paused'
import type { AccountRegistration, ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { Demand } from '@dayfly/runner-set/model/demand'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { forgeSet } from '../connection.ts'
import { MissingAccess, readAccess } from '../credential.ts'
import { AccessFailure, type Known } from '../operate/read.ts'
import type { SetView } from '../operate/set-view.ts'
import type { ForgeReading } from '../operate/situation.ts'
import { secrets } from '../resources.ts'
import type { Opened } from './options.ts'

const connections = 4

export type Asked = {
  readonly view: SetView
  readonly set: RunnerSet
  /** All sets that the command sees: some may share the account. */
  readonly sets: readonly RunnerSet[]
}

/** Resolves with why the forge is not known if it does not answer. Throws an `AccessFailure` if the Secret cannot be read. */
export async function askForge(opened: Opened, asked: Asked): Promise<Known<ForgeReading>> {
  const access = await accessOf(opened, asked.set)
  if (!access.known) return access
  try {
    return { known: true, value: await ask(opened, asked, access.value) }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    const why = error.message.replace(/\.$/, '')
    return { known: false, why: error.kind === 'bad-config' ? why : `the forge did not answer: ${why}` }
  }
}

async function ask(opened: Opened, asked: Asked, access: ForgeAccess): Promise<ForgeReading> {
  const { clock, random, signal } = opened
  const { source } = asked.set
  const opener = accountOpeners({ clock, random, userAgent: `dayfly-cli/${version}` })[source.kind]
  const create = opener(source, access.credential)
  // The environment of this command is not that of the controller.
  const client = outboundClient({ ...routeTo(source, access, {}), connections })
  try {
    const account = create(client.transport)
    const registrations = ownOf(asked, await account.registrations(signal))
    return { registrations, demand: await demandOf(asked, account, registrations, signal) }
  } finally {
    await client.close()
  }
}

/** A forge without records of sets knows a set's runners by their names. */
function ownOf({ set, view }: Asked, all: readonly AccountRegistration[]): readonly AccountRegistration[] {
  if (forgeTraits[set.source.kind].records === 'by-name') {
    return all.filter(({ name }) => name.startsWith(runnerPrefix(set)))
  }
  return all.filter((one) => one.set === view.forge['scaleSetId'])
}

/** Returns undefined if the forge does not say it. */
async function demandOf(
  { set, view, sets }: Asked,
  account: ForgeAccount,
  own: readonly AccountRegistration[],
  signal: AbortSignal | undefined,
): Promise<Demand | undefined> {
  const { kind, url } = set.source
  switch (forgeTraits[kind].demand) {
    case 'assigned': {
      const id = view.forge['scaleSetId']
      const jobs = id ? (await account.set(id, signal))?.assignedJobs : undefined
      return jobs === undefined ? undefined : { kind: 'assigned', jobs }
    }
    case 'queued': {
      const near = sets.filter((one) => one.source.kind === kind && one.source.url === url && !isPaused(one))
      const others = near.filter(({ uid }) => uid !== set.uid)
      const jobs = (await account.waiting([set, ...others].map(forgeSet), signal))?.get(runnerPrefix(set))
      return jobs === undefined ? undefined : { kind: 'queued', jobs }
    }
    case 'utilisation': {
      const idle = own.filter((one) => one.busy === false && one.status === 'online' && !one.isCordoned)
      return { kind: 'utilisation', busy: own.filter(({ busy }) => busy === true).length, idle: idle.length }
    }
    default:
      return unreachable(forgeTraits[kind].demand)
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
