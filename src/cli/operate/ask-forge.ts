// Asks the forge of a set for its registrations and its demand, with the credential of the set's own Secret.
import { MissingCredential, readCredential } from '../../controller/credential.ts'
import { secrets } from '../../controller/resources.ts'
import { createGitHubAccount } from '../../forge/github/account.ts'
import { KubernetesError } from '../../kubernetes/errors.ts'
import { httpClient } from '../../lib/http-client.ts'
import { PortError } from '../../model/port-error.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { ForgeReading } from '../../operate/picture.ts'
import { AccessFailure, type Known } from '../../operate/read.ts'
import type { SetView } from '../../operate/set-view.ts'
import { version } from '../version.ts'
import type { Opened } from './options.ts'

/** Resolves with why the forge is not known if it does not answer. Throws an `AccessFailure` if the Secret cannot be read. */
export async function askForge(opened: Opened, view: SetView, set: RunnerSet): Promise<Known<ForgeReading>> {
  const credential = await credentialOf(opened, set)
  if (!credential.known) return credential
  const client = httpClient()
  try {
    const { clock, random } = opened
    const account = createGitHubAccount({
      clock,
      random,
      userAgent: `dayfly-cli/${version}`,
      url: set.source.url,
      credential: { kind: 'token', token: credential.value['github_token'] ?? '' },
      transport: client.transport,
    })
    const id = view.forge['scaleSetId']
    const all = await account.registrations(opened.signal)
    const own = id ? await account.set(id, opened.signal) : undefined
    return { known: true, value: { registrations: all.filter((one) => one.set === id), jobs: own?.assignedJobs } }
  } catch (error) {
    if (error instanceof PortError) return { known: false, why: `the forge did not answer: ${error.message}` }
    throw error
  } finally {
    await client.close()
  }
}

async function credentialOf(opened: Opened, set: RunnerSet): Promise<Known<Readonly<Record<string, string>>>> {
  try {
    const value = await readCredential(opened.kubernetes, set, opened.signal ?? new AbortController().signal)
    return { known: true, value }
  } catch (error) {
    if (error instanceof MissingCredential) return { known: false, why: `${error.message}` }
    if (!(error instanceof KubernetesError)) throw error
    const { namespace, source } = set
    throw new AccessFailure({ verb: 'get', resource: secrets, namespace, name: source.credentialsSecret }, error)
  }
}
