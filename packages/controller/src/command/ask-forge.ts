// Asks the forge of a set for its registrations and its demand, with the set's own credential, proxy and certificates.
import { version } from '@dayfly/command-line/version'
import { accountOpeners } from '@dayfly/forges/open/clients'
import { routeTo } from '@dayfly/forges/open/route'
import { outboundClient } from '@dayfly/kit/outbound'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { AccountRegistration, ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { Demand } from '@dayfly/runner-set/model/demand'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { MissingAccess, readAccess } from '../credential.ts'
import { AccessFailure, type Known } from '../operate/read.ts'
import type { SetView } from '../operate/set-view.ts'
import type { ForgeReading } from '../operate/situation.ts'
import { secrets } from '../resources.ts'
import type { Opened } from './options.ts'

const connections = 4

/** Resolves with why the forge is not known if it does not answer. Throws an `AccessFailure` if the Secret cannot be read. */
export async function askForge(opened: Opened, view: SetView, set: RunnerSet): Promise<Known<ForgeReading>> {
  const access = await accessOf(opened, set)
  if (!access.known) return access
  try {
    return { known: true, value: await ask(opened, view, set, access.value) }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    const why = error.message.replace(/\.$/, '')
    return { known: false, why: error.kind === 'bad-config' ? why : `the forge did not answer: ${why}` }
  }
}

async function ask(opened: Opened, view: SetView, set: RunnerSet, access: ForgeAccess): Promise<ForgeReading> {
  const { clock, random, signal } = opened
  const { source } = set
  const opener = accountOpeners({ clock, random, userAgent: `dayfly-cli/${version}` })[source.kind]
  const create = opener(source, access.credential)
  // The environment of this command is not that of the controller.
  const client = outboundClient({ ...routeTo(source, access, {}), connections })
  try {
    const account = create(client.transport)
    const registrations = await account.registrations(signal)
    return forgeTraits[source.kind].demand === 'utilisation'
      ? utilisationOf(registrations, runnerPrefix(set))
      : await assignedTo(view.forge['scaleSetId'], account, registrations, signal)
  } finally {
    await client.close()
  }
}

/** The forge keeps a record of the set, with its demand. */
async function assignedTo(
  id: string | undefined,
  account: ForgeAccount,
  registrations: readonly AccountRegistration[],
  signal: AbortSignal | undefined,
): Promise<ForgeReading> {
  const jobs = id ? (await account.set(id, signal))?.assignedJobs : undefined
  return {
    registrations: registrations.filter((one) => one.set === id),
    demand: jobs === undefined ? undefined : { kind: 'assigned', jobs },
  }
}

/** The forge knows no sets: the names of the runners say whose they are, and their list is all that it says of the demand. */
function utilisationOf(all: readonly AccountRegistration[], prefix: string): ForgeReading {
  const registrations = all.filter(({ name }) => name.startsWith(prefix))
  const demand: Demand = {
    kind: 'utilisation',
    busy: registrations.filter(({ busy }) => busy === true).length,
    idle: registrations.filter(({ busy, status, isCordoned }) => busy === false && status === 'online' && !isCordoned)
      .length,
  }
  return { registrations, demand }
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
