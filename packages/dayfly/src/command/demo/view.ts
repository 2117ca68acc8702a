// Formats the demo's progress: several lines for a terminal that is redrawn, one plain line for other outputs.
import type { JobReport } from '@dayfly/forge-emulators/job'
import { printableLine } from '@dayfly/kit/printable'
import picocolors from 'picocolors'
import { percentiles } from './report.ts'
import type { FinishedJob, Score } from './score.ts'

export type Look = { readonly columns: number; readonly colour: boolean }

/** Returns the lines of the live view. */
export function drawScore(score: Score, elapsedMs: number, look: Look): readonly string[] {
  const colours = picocolors.createColors(look.colour)
  const { total, running, waiting, succeeded, failed, skipped } = score.jobs
  const done = succeeded + failed + skipped
  const { starting, idle, busy, ending } = score.runners
  const rest = [`${running} running`, `${waiting} waiting`]
  if (skipped > 0) rest.push(`${skipped} skipped`)
  const failures = failed > 0 ? colours.red(`${failed} failed`) : '0 failed'
  return [
    `${bar(done, total, Math.min(40, look.columns - 30), look)} ${done} of ${total} jobs  ${seconds(elapsedMs)}`,
    `  jobs      ${colours.green(`${succeeded} succeeded`)}  ${failures}  ${rest.join('  ')}`,
    `  runners   ${starting} starting  ${idle} idle  ${busy} busy  ${ending} ending`,
    `  queued → first step   ${firstStep(score)}`,
  ]
}

/** Returns the score in one line. */
export function scoreLine(score: Score, elapsedMs: number): string {
  const { total, succeeded, failed, skipped } = score.jobs
  const { starting, idle, busy, ending } = score.runners
  const runners = `runners: ${starting} starting, ${idle} idle, ${busy} busy, ${ending} ending`
  const done = `${succeeded + failed + skipped} of ${total} jobs done, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
  return `${seconds(elapsedMs).padStart(7)}  ${done}; ${runners}; queued → first step ${firstStep(score)}`
}

/** Returns the lines for a job that has ended: its result and the conclusion of each step. Control characters of its texts are replaced. */
export function jobLines(job: FinishedJob, look: Look): readonly string[] {
  const colours = picocolors.createColors(look.colour)
  const good = job.result === 'succeeded'
  const bad = job.result === 'skipped' ? colours.dim('–') : colours.red('✗')
  const mark = good ? colours.green('✓') : bad
  const time = job.ranMs === undefined ? '' : `  ${seconds(job.ranMs)}`
  const lines = [`${mark} ${printableLine(job.name)}${good ? '' : `: ${printableLine(job.result)}`}${time}`]
  for (const step of job.report?.steps ?? []) lines.push(`    ${printableLine(stepLine(step))}`)
  if (job.report?.note) lines.push(`    ${printableLine(job.report.note)}`)
  return lines
}

const marks: Readonly<Record<string, string>> = { success: '✓', failure: '✗', cancelled: '✗', skipped: '–' }

function stepLine(step: JobReport['steps'][number]): string {
  const note = step.note ? `  (${step.note})` : ''
  const kept = step.outcome === step.conclusion ? '' : `  (${step.outcome}, ignored by continue-on-error)`
  return `${marks[step.conclusion] ?? '?'} ${step.name}${note}${kept}`
}

function bar(done: number, total: number, width: number, look: Look): string {
  const full = total === 0 ? 0 : Math.round((Math.max(4, width) * done) / total)
  const colours = picocolors.createColors(look.colour)
  return `${colours.green('━'.repeat(full))}${colours.dim('━'.repeat(Math.max(4, width) - full))}`
}

function firstStep(score: Score): string {
  const found = percentiles(score.firstStepMs)
  return found ? `p50 ${found.p50} ms  p95 ${found.p95} ms  max ${found.max} ms` : '–'
}

function seconds(ms: number): string {
  const all = ms / 1_000
  if (all < 60) return `${all.toFixed(1)} s`
  return `${Math.floor(all / 60)} min ${String(Math.floor(all % 60)).padStart(2, '0')} s`
}
