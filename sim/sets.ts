// The runner sets of one seed: two namespaces, and sets of GitHub, Bitbucket and Gitea.
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { type SeedWindow, windowOf, worldStart } from './schedules.ts'
import { pick } from './streams.ts'

export type SetSpec = {
  readonly namespace: string
  readonly name: string
  readonly forge: ForgeKind
  /** The path of its account at the forge, for example `acme`. It is empty for a whole Gitea. */
  readonly account: string
  /** The labels that its jobs ask for. */
  readonly labels: readonly string[]
  readonly min: number
  readonly max: number
  readonly schedule?: readonly SeedWindow[]
  /** So many runners were usual at each hour of the last four weeks. */
  readonly usual?: number
  /** The age at which its idle runners are replaced, in seconds. */
  readonly idleMaxS?: number
  /** The age at which its runners are ended, busy or not, in seconds. */
  readonly lifeMaxS?: number
  /** The set follows the share of busy runners, and not the demand. */
  readonly percentage?: PercentageSpec
  /** How long its ended pods are kept, in seconds. */
  readonly keepS?: { readonly failed: number; readonly finished: number }
  /** The RunnerSet of which it is a size. */
  readonly parent?: string
  /** Its part in the pool of its namespace. */
  readonly pool?: { readonly max: number; readonly floor: number; readonly weight: number }
  /** Each job has a pod of its own. */
  readonly jobsInPods?: boolean
  /** The set repeats jobs that the infrastructure broke. */
  readonly reruns?: boolean
}

export type SetName = Pick<SetSpec, 'namespace' | 'name'>

/** The spec of `scale.percentageRunnersIdle`. */
type PercentageSpec = Readonly<Record<'scaleUpThreshold' | 'scaleDownThreshold' | 'scaleDownMultiplier', number>> & {
  readonly coolDown: string
}

export const namespaces = ['a', 'b'] as const
const domain = '.test'
export const credentialName = 'forge'

/** Returns one to three sets. Sets of one organization have different names, as GitHub demands. */
export function setsOf(random: Random): readonly SetSpec[] {
  const forges = random() < 0.35 ? (['github', 'bitbucket'] as const) : (['github', 'github'] as const)
  const count = randomInteger(random, 1, 2)
  return forges.slice(2 - count).map((forge, index) => {
    const min = forge === 'bitbucket' ? randomInteger(random, 1, 2) : randomInteger(random, 0, 2)
    const namespace = namespaces[index] ?? 'a'
    return {
      namespace,
      name: `linux-${namespace}`,
      forge,
      account: 'acme',
      labels: [`${forge}${namespace}`],
      min,
      max: min + randomInteger(random, 1, 5),
    }
  })
}

/** In a third of the worlds, another set shares a ceiling with the first one. */
export function withPool(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  const [first, ...rest] = sets
  if (!first || random() > 0.35) return sets
  // A step of Bitbucket fails if no runner is online, so each of its sets keeps one.
  const least = first.forge === 'bitbucket' ? 1 : 0
  const min = randomInteger(random, least, least + 1)
  const labels = [`${first.forge}pool`]
  const second = { ...first, name: 'large', labels, min, max: min + randomInteger(random, 1, 5) }
  const floorOf = (set: SetSpec) => Math.min(set.max, randomInteger(random, least, set.min + 1))
  const floors = [floorOf(first), floorOf(second)] as const
  const kept = Math.max(first.min + min, floors[0] + floors[1])
  // A ceiling that the floors use up would leave a set without a floor no place at all.
  const max = kept + randomInteger(random, 1, 4)
  const part = (set: SetSpec, floor: number) => ({ ...set, pool: { max, floor, weight: randomInteger(random, 1, 3) } })
  const members = [part(first, floors[0]), part(second, floors[1])] as const
  return random() < 0.7 ? [...members, ...rest] : [...ofTwoForges(...members), ...rest]
}

type Member = SetSpec & Required<Pick<SetSpec, 'pool'>>

/** Moves the second set to another forge. At Bitbucket it keeps a place, so the pool has one more. */
function ofTwoForges(first: Member, second: Member): readonly SetSpec[] {
  const max = first.pool.max + 1
  const larger = { ...first, pool: { ...first.pool, max } }
  if (first.forge === 'bitbucket') {
    return [larger, { ...second, forge: 'github', labels: ['githubpool'], pool: { ...second.pool, max } }]
  }
  const pool = { ...second.pool, max, floor: Math.max(1, second.pool.floor) }
  const min = Math.max(1, second.min)
  return [larger, { ...second, forge: 'bitbucket', labels: ['bitbucketpool'], min, pool }]
}

/** In some of the worlds, most sets have one or two windows. */
export function withSchedules(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.3) return sets
  return sets.map((set) => {
    if (random() < 0.2) return set
    return { ...set, schedule: Array.from({ length: randomInteger(random, 1, 2) }, () => windowOf(set, random)) }
  })
}

/** In some of the worlds, idle runners of most sets are replaced at an age. Replacements follow one another, and a cordon of Bitbucket takes long: the set must rest between them. */
export function withAges(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.25) return sets
  return sets.map((set) =>
    random() < 0.3 ? set : { ...set, idleMaxS: Math.max(randomInteger(random, 60, 180), restS(set)) },
  )
}

/** The shortest age, in seconds, at which a set with that age can rest: it replaces its idle runners one after another. */
function restS({ forge, max }: SetSpec): number {
  return (forge === 'bitbucket' ? 90 : 25) * max
}

/** In some of the worlds, most sets bound the life of every runner. */
export function withLives(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.25) return sets
  return sets.map((set) =>
    random() < 0.3 ? set : { ...set, lifeMaxS: Math.max(randomInteger(random, 60, 180), 2 * restS(set)) },
  )
}

/** Returns the age, in seconds, at which an idle runner of the set is replaced: with a bound of every life, at half of it. */
export function renewalS({ idleMaxS, lifeMaxS }: Pick<SetSpec, 'idleMaxS' | 'lifeMaxS'>): number | undefined {
  if (lifeMaxS === undefined) return idleMaxS
  return idleMaxS !== undefined && idleMaxS < lifeMaxS ? idleMaxS : lifeMaxS / 2
}

/** In some of the worlds, sets have a usual demand. */
export function withHabits(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.2) return sets
  return sets.map((set) => (random() < 0.3 ? set : { ...set, usual: randomInteger(random, 1, set.max) }))
}

/** In some of the worlds, sets of Bitbucket follow the share of busy runners. */
export function withPercentages(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.35) return sets
  return sets.map((set) => {
    if (set.forge !== 'bitbucket' || set.usual !== undefined) return set
    const percentage = {
      scaleUpThreshold: pick([0.4, 0.8], random),
      scaleDownThreshold: pick([0.2, 0.6], random),
      scaleDownMultiplier: pick([0, 0.5], random),
      coolDown: `${randomInteger(random, 10, 90)}s`,
    }
    return { ...set, percentage }
  })
}

/** In some of the worlds, ended pods are kept for someone who reads their logs. */
export function withKeeps(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.25) return sets
  return sets.map((set) => ({
    ...set,
    keepS: { failed: randomInteger(random, 20, 90), finished: random() < 0.5 ? 0 : randomInteger(random, 5, 60) },
  }))
}

/** In some of the worlds, the jobs of GitHub's sets have pods of their own. */
export function withJobPods(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  if (random() > 0.2) return sets
  return sets.map((set) => (set.forge === 'github' ? { ...set, jobsInPods: true } : set))
}

/** Returns the status that an earlier controller left: the demand of four weeks, of which one was unusual. */
export function earlierStatus({ usual = 0 }: SetSpec): object {
  const dayOf = (week: number) => new Date(worldStart - week * 7 * 86_400_000).toISOString().slice(0, 10)
  const peaksOf = (jobs: number) => Array<number>(24).fill(jobs).join(' ')
  return { demandDays: [99, usual, usual, usual].map((jobs, at) => ({ day: dayOf(at + 1), peaks: peaksOf(jobs) })) }
}

export function setObject(set: SetSpec) {
  const { namespace, name, forge, account, labels, reruns, jobsInPods, idleMaxS, lifeMaxS } = set
  const { keepS = { failed: 0, finished: 0 } } = set
  const credentials = { secret: credentialName }
  const rerun = reruns ? { rerun: {} } : {}
  const source = { url: `http://${forge}${domain}/${account}`, plainHttp: true, credentials, labels, ...rerun }
  const spec = {
    [forge]: source,
    scale: scaleOf(set),
    keepFailed: `${keepS.failed}s`,
    keepFinished: `${keepS.finished}s`,
    ...(idleMaxS !== undefined && { idleMax: `${idleMaxS}s` }),
    ...(lifeMaxS !== undefined && { lifeMax: `${lifeMaxS}s` }),
    ...(jobsInPods && { jobs: 'pods' }),
  }
  return { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata: { name, namespace }, spec }
}

/** Returns the scale of a set, with limits that another scale of its own may change: its windows and its floor stay below its maximum. */
export function scaleOf({
  min,
  max,
  schedule,
  usual,
  percentage,
  parent,
  pool,
}: Pick<SetSpec, 'min' | 'max' | 'schedule' | 'usual' | 'percentage' | 'parent' | 'pool'>) {
  const windows = schedule?.map(({ entry }) => ({ ...entry, min: Math.min(entry.min, max) }))
  return {
    ...{ min, max },
    ...(windows && { schedule: windows }),
    ...(usual && { usualDemand: { max: Math.max(1, max), timeZone: 'UTC' } }),
    ...(percentage && { percentageRunnersIdle: percentage }),
    ...(pool && { pool: { name: parent ?? 'shared', ...pool, floor: Math.min(pool.floor, max) } }),
  }
}

/** Returns the forge at an address. */
export function forgeAt(origin: string | undefined): ForgeKind | undefined {
  return (['github', 'bitbucket', 'gitea'] as const).find((forge) => origin?.startsWith(`http://${forge}${domain}`))
}

/** One Secret serves the sets of all forges: each reads its own entry. */
export function credentialObject(namespace: string, token: string) {
  const data = Buffer.from(token).toString('base64')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: credentialName, namespace },
    type: 'Opaque',
    data: { github_token: data, bitbucketAccessToken: data, gitea_token: data },
  }
}
