// The results as text for people.
import type { Comparison } from './compare.ts'
import type { LivePods, ManySets } from './many.ts'
import type { TickTimes } from './tick.ts'

const leaseSeconds = 9

export function comparisonText(comparison: Comparison): string {
  const { latencyMs, pods, dayfly, limit, ratio, teardownMs, teardownAllMs, forgeBoundSeconds } = comparison
  const row = (name: string, times: { t50: number; t95: number; t100: number; removeSeconds: number }) =>
    `  ${name.padEnd(12)}${[times.t50, times.t95, times.t100, times.removeSeconds].map(seconds).join('')}\n`
  const requests = Object.entries(comparison.requests).map(([key, count]) => `${key} ${count}`)
  const each = comparison.each
    .map(
      ({ limit, dayfly }) =>
        `${limit.t100}/${dayfly.t100} s, removed ${limit.removeSeconds}/${dayfly.removeSeconds} s${suspended(dayfly)}`,
    )
    .join('; ')
  return [
    `${pods} runners, the forge answers in ${latencyMs} ms (its latency alone takes ${forgeBoundSeconds} s)\n`,
    `  ${''.padEnd(12)}${['50 %', '95 %', '100 %', 'removed'].map((title) => title.padStart(10)).join('')}\n`,
    row('plain loop', limit),
    row('dayfly', dayfly),
    `  ${'ratio'.padEnd(32)}${ratio.t100.toFixed(2).padStart(10)}${ratio.remove.toFixed(2).padStart(10)}\n`,
    `  writes a runner ${dayfly.writesPerRunner}, reads ${dayfly.readsPerRunner}; CPU ${dayfly.cpuSeconds.toFixed(2)} s (plain loop ${limit.cpuSeconds.toFixed(2)} s), memory ${megabytes(dayfly.rssBytes)} MB\n`,
    `  the same again in the same process: 100 % ${dayfly.warmT100} s, removed ${dayfly.warmRemoveSeconds} s, CPU ${dayfly.warmCpuSeconds.toFixed(2)} s\n`,
    `  100 end at once: p50 ${teardownMs.p50}, p95 ${teardownMs.p95}, p99 ${teardownMs.p99} ms; all: p50 ${teardownAllMs.p50}, p95 ${teardownAllMs.p95}, p99 ${teardownAllMs.p99} ms\n`,
    `  ${requests.join(', ')}\n`,
    `  each repetition, loop/dayfly: ${each}; processors ${Math.round(comparison.busy * 100)} % busy, load ${comparison.load}\n\n`,
  ].join('')
}

export function livePodsText({ pods, knownAfter, cpuSeconds, rssBytes, peakRssBytes }: LivePods): string {
  const memory = `memory ${megabytes(rssBytes)} MB, at most ${megabytes(peakRssBytes)} MB`
  return `${pods} live pods of one set, known ${knownAfter} s after the start: ${memory}, CPU ${cpuSeconds.toFixed(2)} s\n`
}

export function manySetsText({ sets, runners, t50, t95, t100, removeSeconds, ...reading }: ManySets): string {
  const up = `50 % ${t50} s, 95 % ${t95} s, 100 % ${t100} s, removed in ${removeSeconds} s`
  const memory = `memory ${megabytes(reading.rssBytes)} MB, at most ${megabytes(reading.peakRssBytes)} MB`
  return `${runners} runners of ${sets} sets: ${up}; ${memory}, CPU ${reading.cpuSeconds.toFixed(2)} s\n`
}

export function tickText({ runners, p50Ms, p99Ms, maxMs }: TickTimes, surplus: boolean): string {
  const what = surplus ? 'nearly all too many' : 'one changed'
  return `one tick at ${runners} runners, ${what}: p50 ${p50Ms} ms, p99 ${p99Ms} ms, at most ${maxMs} ms\n`
}

/** A controller that was suspended for longer than its Lease must win an election before it removes anything. */
function suspended({ suspendedSeconds }: Comparison['dayfly']): string {
  return suspendedSeconds < leaseSeconds ? '' : ` (does not count: suspended for ${suspendedSeconds} s)`
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`.padStart(10)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
