// A life as segments in time, and a time axis in pixels.
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'

export type SegmentKind = 'queue' | 'start' | 'idle' | 'job' | 'end'
export const segmentKinds: readonly SegmentKind[] = ['queue', 'start', 'idle', 'job', 'end']

/** `to` is null while the segment lasts. */
export type Segment = { readonly kind: SegmentKind; readonly from: Instant; readonly to: Instant | null }

/** Returns the segments of a life in order. A missing step joins its neighbours. */
export function segmentsOf({ steps, phase }: Life): readonly Segment[] {
  const begun = steps.registered ?? steps.created ?? steps.started
  const online = steps.online ?? steps.jobStarted
  const over = steps.jobFinished ?? steps.ended
  const last = steps.gone ?? (phase === 'gone' ? (steps.ended ?? over ?? online ?? begun) : null)
  const bounds: (readonly [SegmentKind, Instant | null])[] = [
    ['queue', steps.queued !== null && begun !== null && steps.queued < begun ? steps.queued : null],
    ['start', begun],
    ['idle', online],
    ['queue', steps.queued !== null && online !== null && steps.queued > online ? steps.queued : null],
    ['job', steps.jobStarted],
    ['end', over],
  ]
  const known = bounds.filter((bound): bound is readonly [SegmentKind, Instant] => bound[1] !== null)
  return known
    .map(([kind, from], index) => ({ kind, from, to: known[index + 1]?.[1] ?? last }))
    .filter(({ from, to }) => to === null || to > from)
}

/** Returns when a life ended, or null while it lasts. */
export function endOf({ steps, phase }: Life): Instant | null {
  if (steps.gone !== null || phase !== 'gone') return steps.gone
  return steps.ended ?? steps.jobFinished ?? steps.online ?? steps.created ?? steps.registered
}

/** A part of time on a part of the screen. */
export type Scale = { readonly from: Instant; readonly to: Instant; readonly width: number }

export function pixelOf({ from, to, width }: Scale, at: Instant): number {
  return ((at - from) / (to - from)) * width
}

export function instantOf({ from, to, width }: Scale, pixel: number): Instant {
  return from + (pixel / width) * (to - from)
}

const steps = [60_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000]

/** Returns moments for labels on the axis, at full minutes or hours, with at least `apart` pixels between them. */
export function ticksOf(scale: Scale, apart: number): readonly Instant[] {
  const { from, to, width } = scale
  const least = ((to - from) / Math.max(1, width)) * apart
  const step = steps.find((one) => one >= least) ?? 86_400_000
  const ticks: Instant[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at)
  return ticks
}
