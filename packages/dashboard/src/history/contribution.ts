// One life adds to the sums of time and cost: it has the parts of its pod's time, each with the repository that used it.
import type { Instant } from '@dayfly/kit/clock'
import type { JobShown, Requests } from '../model/life.ts'
import type { Followed } from './followed.ts'

/** `overhead`: the start of the runner and its end. `infrastructure`: all time of a runner that failed before it had a job. */
export type PartKind = 'job' | 'overhead' | 'idle' | 'infrastructure'

export type Part = Owner & { readonly kind: PartKind; readonly from: Instant; readonly to: Instant }

/** All texts are empty for a part that no job used. */
export type Owner = {
  readonly repository: string
  readonly workflow: string
  readonly job: string
  readonly jobName: string
}

export type Contribution = {
  readonly set: string
  readonly priceLabel: string
  readonly requests: Requests | null
  readonly parts: readonly Part[]
  /** Jobs that ended, or run. `forgeMinutes`: each minute that began, because forges charge whole ones. */
  readonly jobs: readonly (Owner & { readonly at: Instant; readonly forgeMinutes: number })[]
  /** When the life ended, to count it once. */
  readonly at: Instant
  readonly isInfrastructure: boolean
}

const nobody: Owner = { repository: '', workflow: '', job: '', jobName: '' }
const minuteMs = 60_000

type Span = { readonly job: JobShown; readonly from: Instant; readonly to: Instant }

/**
 * Returns what a life adds from `since` on; null if nothing is known of its times.
 * @param until its end if it lives: the present
 */
export function contributionOf(followed: Followed, since: Instant, until: Instant): Contribution | null {
  const { life, lostAt, problemIs, priceLabel } = followed
  const { steps, requests, set } = life
  const spans = spansOf(followed, until)
  const begin = steps.created ?? steps.started ?? steps.online ?? spans[0]?.from ?? null
  const end = steps.ended ?? steps.gone ?? lostAt ?? until
  if (begin === null) return null
  const isInfrastructure = spans.length === 0 && problemIs === 'failed'
  const parts = isInfrastructure
    ? [{ kind: 'infrastructure' as const, from: begin, to: end, ...nobody }]
    : partsOf(spans, begin, steps.online ?? steps.started, end)
  return {
    set,
    priceLabel: priceLabel ?? '',
    requests,
    parts: parts.flatMap((part) => clipped(part, since)),
    jobs: spans
      .filter(({ to }) => to >= since)
      .map(({ job, from, to }) => ({ ...ownerOf(job), at: to, forgeMinutes: Math.ceil((to - from) / minuteMs) })),
    at: end,
    isInfrastructure,
  }
}

/** The jobs of the runner in their order, each with its time. */
function spansOf({ life, earlierJobs, lostAt }: Followed, until: Instant): readonly Span[] {
  const { job, steps } = life
  const from = steps.jobStarted
  if (!job || from === null) return earlierJobs
  const to = steps.jobFinished ?? steps.ended ?? steps.gone ?? lostAt ?? until
  return [...earlierJobs, { job, from, to: Math.max(from, to) }]
}

/** Time before the runner was ready and after its last job belongs to its job. Time in between has no job. */
function partsOf(spans: readonly Span[], begin: Instant, ready: Instant | null, end: Instant): readonly Part[] {
  const first = spans[0]
  const readyAt = Math.min(ready ?? first?.from ?? end, first?.from ?? end)
  const firstOwner = first ? ownerOf(first.job) : nobody
  const parts: Part[] = [{ kind: 'overhead', from: begin, to: readyAt, ...firstOwner }]
  let at = readyAt
  let owner = nobody
  for (const { job, from, to } of spans) {
    parts.push({ kind: 'idle', from: at, to: from, ...nobody })
    owner = ownerOf(job)
    parts.push({ kind: 'job', from: Math.max(at, from), to, ...owner })
    at = Math.max(at, to)
  }
  parts.push(first ? { kind: 'overhead', from: at, to: end, ...owner } : { kind: 'idle', from: at, to: end, ...nobody })
  return parts
}

function clipped(part: Part, since: Instant): readonly Part[] {
  const from = Math.max(part.from, since)
  return part.to > from ? [{ ...part, from }] : []
}

function ownerOf({ repository, workflow, id, name }: JobShown): Owner {
  return { repository: repository || 'unknown', workflow: workflow ?? 'unknown', job: id, jobName: name }
}
