// How sets that share a ceiling divide it: each keeps its floor, jobs come before idle spares, and weights decide while the ceiling is reached.
import type { PoolMember } from '../model/pool.ts'

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
  const fair = divide(max, members, (member) => member.floor)
  const kept = ({ occupied = 0, floor }: PoolMember) => Math.max(occupied, floor)
  const occupied = others.reduce((sum, member) => sum + (member.occupied ?? 0), 0)
  const isKnown = members.every(({ occupied }) => occupied !== undefined)
  return {
    max,
    // Floors that are together above the ceiling do not raise it.
    now: isKnown ? Math.min(divide(max, members, kept), Math.max(me.occupied ?? 0, max - occupied)) : undefined,
    fair,
    others: others.reduce((sum, member) => sum + kept(member), 0),
  }
}

/** Returns the part of the first member. @param least what a member has in any case */
function divide(max: number, members: readonly PoolMember[], least: (member: PoolMember) => number): number {
  const kept = members.map((member) => ({ weight: member.weight, has: least(member) }))
  const withJobs = fill(
    max,
    kept.map((row, at) => ({ ...row, most: members[at]?.jobs ?? 0 })),
  )
  const withSpares = fill(
    max,
    withJobs.map((row, at) => ({ ...row, most: members[at]?.asked ?? 0 })),
  )
  return withSpares[0]?.has ?? 0
}

type Row = { readonly weight: number; readonly has: number }
type Hungry = Row & { readonly most: number }

/** Gives the free places to those that want more than they have. Each next one goes where the number for each weight is the lowest. */
function fill(max: number, rows: readonly Hungry[]): readonly Row[] {
  const levels = rows.map(({ weight, has, most }) => ({ weight, has, most: Math.max(has, most) }))
  const wanted = levels.reduce((sum, { most }) => sum + most, 0)
  if (wanted <= max) return levels.map(({ weight, most }) => ({ weight, has: most }))
  const at = (level: number) =>
    levels.map(({ weight, has, most }) => ({
      weight,
      most,
      has: Math.min(most, Math.max(has, Math.floor(level * weight))),
    }))
  const sum = (of: readonly Row[]) => of.reduce((total, { has }) => total + has, 0)
  let [low, high] = [0, max]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (sum(at(middle)) <= max) low = middle
    else high = middle
  }
  return giveRest(at(low), max - sum(at(low)))
}

/** The level gives whole places to all at once, so fewer places than members are left. */
function giveRest(rows: readonly Hungry[], rest: number): readonly Row[] {
  const filled = rows.map((row) => ({ ...row }))
  for (let left = rest; left > 0; left--) {
    const hungry = filled.filter(({ has, most }) => has < most)
    const next = hungry.toSorted((one, other) => (one.has + 1) / one.weight - (other.has + 1) / other.weight)[0]
    if (!next) break
    next.has++
  }
  return filled
}
