// Reads the leftovers: first the forge, then owned objects, then their owners, so that nothing new is taken for a leftover.
import type { Inquiry } from '@dayfly/kubernetes/inquiry'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import type { AccountRegistration, AccountSet, ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { PodObject } from '../../observe/pod-object.ts'
import { pods, runnerSets, secrets } from '../../resources.ts'
import { type Leader, type LeaseChoice, readLeaders } from '../leader.ts'
import { AccessFailure, type Cluster, type Known, listAll, orUnknown } from '../read.ts'
import { readSets, type SetView } from '../set-view.ts'

export type SweepChoice = {
  readonly namespace: string | undefined
  readonly lease: LeaseChoice
  readonly account: ForgeAccount | undefined
  /** The names of scale sets that the operator wants removed, and their runner group. */
  readonly scaleSets: readonly string[]
  readonly group: string | undefined
}

export type ForgeLeft = {
  readonly registrations: readonly AccountRegistration[]
  /** The named scale sets; undefined for a name that the forge does not know. */
  readonly named: readonly { readonly name: string; readonly set: AccountSet | undefined }[]
}

export type SweepFacts = {
  readonly at: number
  readonly pods: readonly (PodObject & KubeObject)[]
  readonly secrets: Known<readonly KubeObject[]>
  readonly sets: readonly SetView[]
  readonly leaders: Known<readonly Leader[]>
  /** Undefined if no account was given. */
  readonly forge: Known<ForgeLeft> | undefined
}

export async function gatherLeftovers(
  cluster: Cluster & { readonly inquiry: Inquiry },
  { namespace, lease, account, scaleSets, group }: SweepChoice,
): Promise<SweepFacts> {
  const forge = account && (await askAccount(account, scaleSets, group))
  const owned = await orUnknown(
    listAll(cluster, secrets, { namespace, labelSelector: labels.runner, metadataOnly: true }),
  )
  const found = await listAll(cluster, pods, { namespace, labelSelector: labels.set })
  const sets = await readSetsIfServed(cluster, namespace)
  const leaders =
    namespace === undefined ? await readLeaders(cluster, lease, []) : ({ known: true, value: [] } as const)
  const labelled = found as readonly (PodObject & KubeObject)[]
  return { at: cluster.clock.now(), pods: labelled, secrets: owned, sets, leaders, forge }
}

/** Without its definition no RunnerSet exists: the uninstall has removed it. Any other refusal proves nothing. */
async function readSetsIfServed(
  cluster: Cluster & { readonly inquiry: Inquiry },
  namespace: string | undefined,
): Promise<readonly SetView[]> {
  try {
    return await readSets(cluster, namespace)
  } catch (error) {
    if (!(error instanceof AccessFailure) || error.error.kind !== 'not-found') throw error
    if ((await cluster.inquiry.versionsOf(runnerSets, cluster.signal)).length > 0) throw error
    return []
  }
}

async function askAccount(
  account: ForgeAccount,
  names: readonly string[],
  group: string | undefined,
): Promise<Known<ForgeLeft>> {
  try {
    const registrations = await account.registrations()
    const named: ForgeLeft['named'][number][] = []
    for (const name of names) named.push({ name, set: await account.findSet(name, group) })
    return { known: true, value: { registrations, named } }
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    return { known: false, why: `the account ${account.url} could not be read: ${error.message}` }
  }
}
