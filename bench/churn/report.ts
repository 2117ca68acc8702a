// The results as text for people.
import type { Window } from './cost.ts'
import type { Jobs } from './jobs.ts'
import type { Lives } from './lives.ts'

export function livesText({ lives, seconds, windows, growth, endedPodsMost, left }: Lives): string {
  const columns = [
    'lives',
    'lives/s',
    'CPU ms',
    'writes',
    'start',
    'removal',
    'controller MB',
    'API server MB',
    'etcd MB',
  ]
  const head = columns.map((title) => title.padStart(14)).join('')
  const rows = windows.map((window, index) => row(window, windows.slice(0, index + 1)))
  return [
    `Dayfly: ${lives} lives in ${seconds} s. Times are p50/p95 in milliseconds.`,
    head,
    ...rows,
    `A life of the last window costs ${growth} of one of the second window. Ended pods at any time: at most ${endedPodsMost}.`,
    `Left: ${left.pods} pods, ${left.secrets} Secrets, ${left.registrations} registrations.`,
    '',
  ].join('\n')
}

function row(window: Window, soFar: readonly Window[]): string {
  const { lives, seconds, cpuMs, writes, startMs, removeMs, memoryMb, etcdMb } = window
  const cells = [
    soFar.reduce((sum, each) => sum + each.lives, 0),
    Math.round(lives / seconds),
    cpuMs,
    writes,
    `${startMs.p50}/${startMs.p95}`,
    `${removeMs.p50}/${removeMs.p95}`,
    memoryMb['controller'],
    memoryMb['apiserver'],
    etcdMb,
  ]
  return cells.map((cell) => String(cell).padStart(14)).join('')
}

export function jobsText(jobs: Jobs): string {
  const { name, seconds, created, ended, complete, repeated, writes, startMs, endedPodsMost, left } = jobs
  return [
    `Plain Jobs, Job controller with ${name}: ${seconds} s`,
    `  ${created} Jobs created, ${ended} pods ended, ${complete} Jobs complete, ${repeated} Jobs with a second pod`,
    `  pod ${startMs.p50}/${startMs.p95} ms after its Job, ${writes} writes each; ended pods: at most ${endedPodsMost}`,
    `  left: ${left.jobs} Jobs and ${left.pods} ended pods`,
    '',
  ].join('\n')
}
