// Why waiting jobs have no runner yet, in one sentence. `dayfly explain`, `dayfly status` and the page show the same one.
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { Held } from '@dayfly/runner-set/model/held'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { type HeldContext, heldCause } from './held-text.ts'
import type { PlanStep } from './plan-step.ts'
import { faultsIn, type Problem } from './problems.ts'

export type WhyFacts = {
  /** The most urgent one first. */
  readonly problems: readonly Problem[]
  readonly held: Held | undefined
  readonly context: HeldContext
  /** The starts that something holds up. */
  readonly waiting: readonly PlanStep[]
  /** Jobs that the set has, as the forge counts them; undefined if unknown. */
  readonly demand: number | undefined
  readonly announced: Announced | undefined
}

/** How many runners a set announces to its forge, and why no more; undefined if they are all that it may have. */
export type Announced = { readonly count: number; readonly detail: string }

/** Returns what the status says of the runners that a set announces; undefined while it announces its maximum, or nothing. */
export function announcedOf(view: {
  readonly announced?: number | null | undefined
  readonly announcedDetail?: string | null | undefined
}): Announced | undefined {
  const { announced: count, announcedDetail: detail } = view
  return typeof count === 'number' && detail ? { count, detail } : undefined
}

/** Returns whether a set has as many jobs as its forge assigns to it: more may wait where nobody sees them. */
export function isFull(
  demand: number | undefined,
  max: number | undefined,
  view: Parameters<typeof announcedOf>[0],
): boolean {
  const most = announcedOf(view)?.count ?? max
  return demand !== undefined && most !== undefined && demand >= most
}

/** Returns the sentence about them. */
export function announcedText({ count, detail }: Announced, max: number): string {
  return `The set announces ${count} of ${max} runners to the forge: ${detail}.`
}

/** Returns undefined while nothing holds the set up. A problem says more than what the decision does about it. */
export function whyOf({ problems, held, context, waiting, demand, announced }: WhyFacts): string | undefined {
  const [problem] = faultsIn(problems)
  if (problem) return withDetail(problem)
  // So many starts at once are no hindrance: the next tick starts more.
  if (held && held.why.is !== 'starts-per-tick') return capital(heldCause(held.why, context))
  const start = waiting.find(({ runner }) => runner !== undefined)
  return start?.sentence ?? fullText(context.set, demand, announced)
}

/** A forge that assigns jobs assigns no more than the maximum: others wait where nobody sees them. Where the queue is seen, nothing else waits. */
function fullText(
  { source, scale: { max } }: RunnerSet,
  demand: number | undefined,
  announced: Announced | undefined,
): string | undefined {
  if (demand !== undefined && announced && demand >= announced.count) {
    return `${announcedText(announced, max)} More jobs may wait at the forge.`
  }
  if (demand === undefined || demand < max || forgeTraits[source.kind].demand === 'queued') return undefined
  return `The set is at its maximum of ${max}, so more jobs may wait at the forge.`
}

function withDetail({ sentence, detail }: Problem): string {
  return detail === '' ? sentence : `${sentence.replace(/\.$/, '')}: ${detail.replace(/\.?$/, '.')}`
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
