// How sets that share a ceiling divide it: each keeps its floor, jobs come before idle spares, and weights decide while the ceiling is reached.
import type { PoolMember, PoolPart } from '../model/pool.ts'

export type PoolShare = {
  /** The lowest ceiling that a member names. */
  readonly max: number
  /** So many places may the set occupy now: no member gives up one that it has. Undefined while those are unknown. */
  readonly now: number | undefined
  /** So many are its fair share, which it reaches as runners of other members end. */
  readonly fair: number
  /** Places that other members occupy, or keep free by their floors. */
  readonly others: number
}

/** Returns the part of one member of a pool. The parts of all members together are never above the ceiling, except by runners that live already. */
export function poolShare(me: PoolMember, others: readonly PoolMember[]): PoolShare {
  const members = [me, ...others]
  const max = Math.min(...members.map((member) => member.max))
  const kept = ({ occupied = 0, floor }: PoolMember) => Math.max(occupied, floor)
  const own = me.occupied
  const taken = sumOfKnown(others.map(({ occupied }) => occupied))
  const isKnown = own !== undefined && taken !== undefined
  return {
    max,
    // Floors that are together above the ceiling do not raise it.
    now: isKnown ? Math.min(divide(max, members, kept), Math.max(own, max - taken)) : undefined,
    fair: divide(max, members, ({ floor }) => floor),
    others: others.reduce((sum, member) => sum + kept(member), 0),
  }
}

/** Returns a member that cannot decide: it keeps its floor and the places that it has, and asks for no other. */
export function restingMember(uid: string, { max, weight, floor }: PoolPart, occupied: number | undefined): PoolMember {
  return { uid, max, weight, floor, occupied, jobs: occupied ?? 0, asked: occupied ?? 0 }
}

/** Returns a member that may start only so many more runners now, as the others see it: they use the rest of its share. */
export function limitedMember(member: PoolMember, startable: number): PoolMember {
  const { occupied = 0, jobs, asked } = member
  const most = occupied + startable
  return { ...member, jobs: Math.min(jobs, most), asked: Math.min(asked, most) }
}

function sumOfKnown(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0
  for (const count of counts) {
    if (count === undefined) return undefined
    sum += count
  }
  return sum
}

/** Returns the part of the first member. @param least what a member has in any case */
function divide(max: number, members: readonly PoolMember[], least: (member: PoolMember) => number): number {
  const kept = members.map((member) => ({ ...member, has: least(member) }))
  const withJobs = fill(max, kept, ({ jobs }) => jobs)
  const withSpares = fill(max, withJobs, ({ asked }) => asked)
  return withSpares[0]?.has ?? 0
}

type Row = PoolMember & { readonly has: number }
type Hungry = Row & { readonly most: number }

/** Gives the free places to those that want more than they have. Each next one goes where the number for each weight is the lowest. */
function fill(max: number, rows: readonly Row[], wantedBy: (member: PoolMember) => number): readonly Row[] {
  const hungry = rows.map((row) => ({ ...row, most: Math.max(row.has, wantedBy(row)) }))
  const wanted = hungry.reduce((sum, { most }) => sum + most, 0)
  if (wanted <= max) return hungry.map((row) => ({ ...row, has: row.most }))
  const hasAt = (level: number, { most, has, weight }: Hungry) =>
    Math.min(most, Math.max(has, Math.floor(level * weight)))
  const sumAt = (level: number) => hungry.reduce((sum, row) => sum + hasAt(level, row), 0)
  let [low, high] = [0, max]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (sumAt(middle) <= max) low = middle
    else high = middle
  }
  const level = hungry.map((row) => ({ ...row, has: hasAt(low, row) }))
  return giveRest(level, max - sumAt(low))
}

function byClaim(one: Row, other: Row): number {
  const difference = (one.has + 1) / one.weight - (other.has + 1) / other.weight
  return difference || (one.uid < other.uid ? -1 : 1)
}

/** The level gives whole places to all at once, so fewer places than members are left. */
function giveRest(rows: readonly Hungry[], rest: number): readonly Row[] {
  const filled = rows.map((row) => ({ ...row }))
  for (let left = rest; left > 0; left--) {
    const hungry = filled.filter(({ has, most }) => has < most)
    const [next] = hungry.toSorted(byClaim)
    if (!next) break
    next.has++
  }
  return filled
}
