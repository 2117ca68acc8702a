// The cost of stored lives, one line for each day, set, repository, workflow and use. The page has the same parts and prices.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Prices } from '../model/trends.ts'
import { contributionOf, type Part, type PartKind } from './contribution.ts'
import type { Followed } from './followed.ts'

/** `forge`: the forge's own charge for the minutes of jobs. */
export type CostUse = PartKind | 'forge'

export type CostLine = {
  /** The day of UTC, for example `2026-11-27`. */
  readonly day: string
  /** `namespace/name` */
  readonly set: string
  /** Both are empty for time that no job used. */
  readonly repository: string
  readonly workflow: string
  readonly use: CostUse
  /** Jobs that ended on that day; on the line of their own time. */
  readonly jobs: number
  /** Hours of runners, or minutes of the forge. */
  readonly quantity: number
  readonly amount: number
}

export type CostLines = {
  readonly lines: readonly CostLine[]
  /** Lives whose pods request nothing: their cost is unknown, and in no line. */
  readonly unpriced: number
  /** Lives without an end: they are counted when they have ended. */
  readonly open: number
}

export type CostSpan = { readonly from: Instant; readonly to: Instant; readonly prices: Prices }

const dayMs = 86_400_000
const hourMs = 3_600_000

export function costLinesOf(lives: Iterable<Followed>, { from, to, prices }: CostSpan): CostLines {
  const lines = new Map<string, CostLine>()
  const add = ({ jobs, quantity, amount, ...key }: CostLine) => {
    const text = Object.values(key).join('\n')
    const known = lines.get(text) ?? { ...key, jobs: 0, quantity: 0, amount: 0 }
    const sums = { jobs: known.jobs + jobs, quantity: known.quantity + quantity, amount: known.amount + amount }
    lines.set(text, { ...known, ...sums })
  }
  let [unpriced, open] = [0, 0]
  for (const followed of lives) {
    const { steps } = followed.life
    const isOver = steps.ended !== null || steps.gone !== null || followed.lostAt !== null
    const life = isOver ? contributionOf(followed, from, to) : null
    if (!isOver) open++
    if (!life || life.at < from) continue
    const { set, requests, priceLabel } = life
    if (!requests) unpriced++
    const price = prices.nodes.find(({ label }) => label === priceLabel) ?? prices
    const hourly = requests ? requests.cpu * price.cpuHour + requests.memoryGib * price.memoryGibHour : 0
    for (const { day, ms, part } of requests ? life.parts.flatMap((part) => days(part, to)) : []) {
      const { repository, workflow, kind: use } = part
      const quantity = ms / hourMs
      add({ day, set, repository, workflow, use, jobs: 0, quantity, amount: quantity * hourly })
    }
    for (const { repository, workflow, at, forgeMinutes } of life.jobs) {
      if (at >= to) continue
      const key = { day: dayOf(at), set, repository, workflow }
      if (requests) add({ ...key, use: 'job', jobs: 1, quantity: 0, amount: 0 })
      const amount = forgeMinutes * prices.forgeMinute
      if (amount > 0) add({ ...key, use: 'forge', jobs: 0, quantity: forgeMinutes, amount })
    }
  }
  return { lines: [...lines.values()].sort(inOrder), unpriced, open }
}

/** Returns the time of a part on each day, up to an instant. */
function days(
  part: Part,
  until: Instant,
): readonly { readonly day: string; readonly ms: number; readonly part: Part }[] {
  const end = Math.min(part.to, until)
  const found: { day: string; ms: number; part: Part }[] = []
  for (let at = part.from; at < end; ) {
    const next = Math.min(end, Math.floor(at / dayMs) * dayMs + dayMs)
    found.push({ day: dayOf(at), ms: next - at, part })
    at = next
  }
  return found
}

function dayOf(at: Instant): string {
  return timestamp(at).slice(0, 10)
}

function inOrder(one: CostLine, next: CostLine): number {
  const [left, right] = [one, next].map(({ day, set, repository, workflow, use }) =>
    [day, set, repository, workflow, use].join('\n'),
  ) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}
