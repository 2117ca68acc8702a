// Writes one event of the journal into the life of its runner.
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { Job, Life, Step } from './life.ts'

export type RunnerEvent = Extract<JournalEvent, { readonly runner: string }>

const steps: Partial<Readonly<Record<RunnerEvent['kind'], Step>>> = {
  'runner-registered': 'registered',
  'pod-created': 'created',
  'runner-started': 'started',
  'runner-online': 'online',
  'runner-ended': 'ended',
  'runner-gone': 'gone',
}

/** Events about a runner that is gone may follow late, so only these begin a life. */
const beginnings: ReadonlySet<RunnerEvent['kind']> = new Set([
  'runner-registered',
  'pod-created',
  'runner-started',
  'start-refused',
])

/** Bounds the memory of one life against a forge that reports jobs or delays forever. */
const entriesMax = 32

export function begins({ kind }: RunnerEvent): boolean {
  return beginnings.has(kind)
}

export function follow(life: Life, event: RunnerEvent, at: Instant): void {
  const step = steps[event.kind]
  if (step) life.steps[step] ??= at
  switch (event.kind) {
    case 'runner-registered':
      life.registration = event.registration
      requested(life, event.requestedMs, at)
      break
    case 'pod-created':
      life.podUid = event.uid
      break
    case 'runner-started':
      if (event.node !== undefined) life.node = event.node
      break
    case 'job-started': {
      const job = jobOf(life, event.job.id)
      job.named = event.job
      job.startedAt ??= at
      if (event.queuedMs !== undefined) job.queuedAt = at - Math.max(0, event.queuedMs)
      break
    }
    case 'job-finished': {
      const job = jobOf(life, event.job)
      job.finishedAt ??= at
      job.result = event.result
      break
    }
    case 'start-refused':
      requested(life, event.requestedMs, at)
      // The journal says first that the runner is gone, and then why.
      life.steps.gone ??= at
      addProblem(life, event, at)
      break
    case 'runner-failed':
    case 'runner-delayed':
    case 'job-pod-failed':
    case 'job-doubtful':
      addProblem(life, event, at)
      break
  }
}

function requested(life: Life, ms: number | undefined, at: Instant): void {
  if (ms !== undefined) life.steps.requested ??= at - Math.max(0, ms)
}

function addProblem(life: Life, event: Extract<RunnerEvent, { readonly failure: unknown }>, at: Instant): void {
  if (life.problems.length === entriesMax) return
  life.problems.push({ at, reason: event.failure.reason, isDelay: event.kind === 'runner-delayed' })
}

function jobOf({ jobs }: Life, id: string): Job {
  const found = jobs.find((job) => job.id === id)
  if (found) return found
  const job: Job = { id }
  if (jobs.length < entriesMax) jobs.push(job)
  return job
}
