// Lists the records that stay at GitHub after a cluster deletes its runner sets.
// The list is exact if the forge was asked. Otherwise it names what to look for, and where.
import { numberAt, textAt } from '@dayfly/kit/read-json'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { isSameAccount, runnersPage } from '../arc/forge-url.ts'
import { scaleSetOf } from '../arc/scale-sets.ts'
import type { ObjectFact } from '../facts.ts'
import type { Cluster } from './cluster.ts'
import type { Remainder } from './proposal.ts'
import type { Registered } from './step.ts'

/** `freed`: the objects that the cluster will delete, a whole chain or a part of it. */
export function remainsOf(cluster: Cluster, freed: readonly ObjectFact[]): readonly Remainder[] {
  const runners = freed.flatMap((fact) => registrationLeft(cluster, fact) ?? [])
  const sets = new Map(
    freed.flatMap((fact) => {
      const set = scaleSetOf(fact)
      return set ? [[`${set.url} ${set.id}`, { ...set, name: nameOfSet(fact) }] as const] : []
    }),
  )
  const others = [...sets.values()].flatMap((set) => setLeft(cluster, set))
  const known = new Set(runners.map(({ id }) => id))
  return [...runners, ...others.filter(({ what, id }) => what === 'set' || !known.has(id))]
}

/**
 * Returns the records that still exist. Rejects with a PortError if the forge does not answer.
 * Records of another account stay in the list with an unknown state.
 */
export async function lookAgain(
  account: ForgeAccount | undefined,
  before: readonly Remainder[],
): Promise<readonly Remainder[]> {
  const found: Remainder[] = []
  for (const one of before) {
    if (!account || one.url === undefined || !isSameAccount(one.url, account.url))
      found.push({ ...one, state: undefined })
    else if (one.what === 'set') {
      if (await account.set(one.id)) found.push({ ...one, state: 'there' })
    } else {
      const now = await account.find(one.name)
      if (now?.id === one.id) found.push({ ...one, state: stateOf(now) })
    }
  }
  return found
}

export function registrationOf({ object, raw }: ObjectFact): Registered | undefined {
  const id = object.kind === 'EphemeralRunner' ? numberAt(raw, 'status', 'runnerId') : undefined
  if (id === undefined || id === 0) return undefined
  return { id: String(id), name: textAt(raw, 'status', 'runnerName') ?? object.name }
}

/** Returns a sentence for people. */
export function describeRemainder({ what, id, name, url, state }: Remainder): string {
  const where = url ?? 'GitHub'
  if (what === 'registration') {
    return state === undefined
      ? `perhaps the registration ${name} (id ${id}) at ${where}`
      : `the registration ${name} (id ${id}, ${state}) at ${where}`
  }
  if (state !== undefined) return `the scale set ${name} (id ${id}) at ${where}, until it has been unused for 7 days`
  const page = url === undefined ? 'the settings of its account' : runnersPage(url)
  return `perhaps the scale set ${name} (id ${id}) at ${where} and runners named ${name}-…: look at ${page}, or ask with --github-url`
}

function registrationLeft({ live }: Cluster, fact: ObjectFact): Remainder | undefined {
  const registration = registrationOf(fact)
  if (!registration) return undefined
  const url = textAt(fact.raw, 'spec', 'githubConfigUrl')
  const { forge } = live
  if (!forge || url === undefined || !isSameAccount(url, forge.url))
    return { what: 'registration', ...registration, url, state: undefined }
  const found = forge.registrations.find(({ id }) => id === registration.id)
  return found && { what: 'registration', id: found.id, name: found.name, url, state: stateOf(found) }
}

type NamedSet = { readonly id: string; readonly url: string; readonly name: string }

function setLeft({ live }: Cluster, { id, url, name }: NamedSet): readonly Remainder[] {
  const { forge, unreadable } = live
  if (!forge || !isSameAccount(url, forge.url) || unreadable['ScaleSet'] !== undefined)
    return [{ what: 'set', id, name, url, state: undefined }]
  const registrations = forge.registrations.filter(({ set }) => set === id)
  const set = forge.sets.find((one) => one.id === id)
  return [
    ...registrations.map((one) => ({
      what: 'registration' as const,
      id: one.id,
      name: one.name,
      url,
      state: stateOf(one),
    })),
    ...(set ? [{ what: 'set' as const, id, name: set.name, url, state: 'there' }] : []),
  ]
}

function stateOf({ status, busy }: { readonly status: string; readonly busy: boolean | 'unknown' }): string {
  const work = busy === true ? 'busy' : busy === false ? 'idle' : 'perhaps busy'
  return `${status === 'unknown' ? 'perhaps online' : status}, ${work}`
}

function nameOfSet({ object, raw }: ObjectFact): string {
  return (
    textAt(raw, 'spec', 'runnerScaleSetName') ??
    textAt(raw, 'metadata', 'labels', 'actions.github.com/scale-set-name') ??
    textAt(raw, 'spec', 'autoscalingRunnerSetName') ??
    object.name
  )
}
