// How many calls to one server may be under way: the width grows while the server keeps up, and shrinks when calls wait inside it or are refused.
import type { Instant } from './clock.ts'

export type WidthPolicy = {
  readonly start: number
  readonly least: number
  readonly most: number
  /** The width grows while fewer calls than this wait inside the server, and shrinks above `waitingHigh`. */
  readonly waitingLow: number
  readonly waitingHigh: number
}

/** The latency of one kind of call. The fastest one of the last two periods shows what the call takes without waiting. */
type Latency = {
  readonly usualMs: number
  readonly fastestMs: number
  readonly fastestBeforeMs: number
  readonly periodAt: Instant
}

export type Width = {
  /** The number of calls, with a fraction that grows from call to call. */
  readonly calls: number
  /** Calls that began before this say nothing about the present width. */
  readonly shrunkAt: Instant
  readonly latencies: Readonly<Record<string, Latency>>
}

/** One call that is over. */
export type CallEnd = {
  /** Calls of one kind take the same time if none waits. */
  readonly kind: string
  readonly startedAt: Instant
  readonly endedAt: Instant
  /** The server asked for fewer calls. */
  readonly refused: boolean
  /** Other calls waited for their turn: the width was the bound. */
  readonly full: boolean
}

const growthACall = 0.25
const shrinkAfterWaiting = 0.9
const shrinkAfterRefusal = 0.5
/** The share of a new latency in the usual one. */
const freshShare = 1 / 8
const periodMs = 60_000

export function initialWidth({ start }: WidthPolicy): Width {
  return { calls: start, shrunkAt: Number.NEGATIVE_INFINITY, latencies: {} }
}

/** Returns the width after a call. It shrinks at most once in the time of one call. */
export function widthAfter(before: Width, call: CallEnd, policy: WidthPolicy): Width {
  const { kind, startedAt, endedAt, refused, full } = call
  const isFresh = startedAt >= before.shrunkAt
  if (refused) return isFresh ? shrunk(before, shrinkAfterRefusal, endedAt, policy) : before
  const latency = latencyAfter(before.latencies[kind], endedAt - startedAt, endedAt)
  const width = { ...before, latencies: { ...before.latencies, [kind]: latency } }
  const waiting = waitingOf(width.calls, latency)
  if (waiting > policy.waitingHigh) return isFresh ? shrunk(width, shrinkAfterWaiting, endedAt, policy) : width
  if (!full || waiting >= policy.waitingLow) return width
  return { ...width, calls: Math.min(policy.most, width.calls + growthACall) }
}

/** Estimates how many of the calls under way wait inside the server: the share of the usual time that the fastest call did not need. */
function waitingOf(calls: number, { usualMs, fastestMs, fastestBeforeMs }: Latency): number {
  return usualMs <= 0 ? 0 : calls * (1 - Math.min(fastestMs, fastestBeforeMs, usualMs) / usualMs)
}

function latencyAfter(before: Latency | undefined, ms: number, at: Instant): Latency {
  if (!before) return { usualMs: ms, fastestMs: ms, fastestBeforeMs: ms, periodAt: at }
  const usualMs = before.usualMs + (ms - before.usualMs) * freshShare
  if (at - before.periodAt < periodMs) return { ...before, usualMs, fastestMs: Math.min(before.fastestMs, ms) }
  return { usualMs, fastestMs: ms, fastestBeforeMs: before.fastestMs, periodAt: at }
}

function shrunk(before: Width, factor: number, at: Instant, { least }: WidthPolicy): Width {
  return { ...before, calls: Math.max(least, before.calls * factor), shrunkAt: at }
}
