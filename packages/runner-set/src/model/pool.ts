// Runner sets that share one ceiling.

/** The part of a set in a pool: the sets of its namespace that name the same pool. */
export type PoolPart = {
  readonly name: string
  /** The ceiling of all members together. If members name several, the lowest one holds. */
  readonly max: number
  /** So many places are kept free for this set, or used by it. No other set takes them. */
  readonly floor: number
  /** The share of the set, beside those of the others, while members ask for more than the ceiling. */
  readonly weight: number
}

/** The runners that a member has and asks for. */
export type PoolMember = Omit<PoolPart, 'name'> & {
  /** Decides between members that have an equal claim to the last place: all members must see the same division. */
  readonly uid: string
  /** Undefined while it is unknown: then nobody may start a runner. */
  readonly occupied: number | undefined
  /** Runners that its jobs need. */
  readonly jobs: number
  /** The same with idle spares, up to its own maximum. */
  readonly asked: number
}
