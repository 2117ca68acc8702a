// Turns one journal event into the fields of a log line: its level, a sentence, and what an operator filters by.
import { unreachable } from '@dayfly/kit/assert'
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { type ClusterFault, doubtOf, type JournalEvent, lateJobNext, rerunText } from '@dayfly/runner-set/model/event'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import { sizeTexts } from './size-texts.ts'

/** The level says who must act. `error`: Dayfly has a bug, or its installation is broken. `warn`: an operator should look. `info`: a state changed. `debug`: hidden by default. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** From the most to the least urgent. */
export const logLevels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug']

/** Fields beside `time`, `event` and the event's set and runner. Fields that are undefined are left out. */
export type LogLine = {
  readonly level: LogLevel
  readonly message: string
  /** A reason of the table of failures, or the kind of another problem. */
  readonly reason?: string
  /** The operator's next step. */
  readonly next?: string
  readonly [field: string]: string | number | undefined
}

export function logLineOf(event: JournalEvent): LogLine {
  switch (event.kind) {
    case 'set-added':
      return { level: 'info', message: 'The RunnerSet was found.' }
    case 'set-removed':
      return { level: 'info', message: 'The RunnerSet is gone. Its work ends.' }
    case 'records-removed':
      return { level: 'info', message: 'The forge has removed the records of the deleted RunnerSet.' }
    case 'records-left':
      return recordsLeft
    case 'size-applied':
    case 'size-failed':
    case 'cost-labels-failed':
      return ofWrite(event)
    case 'set-invalid':
      return setInvalid(event.problems)
    case 'set-changed':
      return { level: 'info', message: `The RunnerSet was changed${event.paused ? ' and is paused' : ''}.` }
    case 'job-waits':
    case 'job-dropped':
    case 'demand-changed':
      return ofQueue(event)
    case 'template-accepted':
    case 'template-refused':
      return ofTemplate(event)
    case 'forge-connected':
    case 'forge-failed':
    case 'runner-version-ends':
    case 'credential-changed':
      return ofForge(event)
    case 'protocol-anomaly':
      return { level: 'info', message: event.message, reason: event.anomaly }
    case 'registrations-limited':
      return limitedUntil(event.until)
    case 'registration-dropped':
      return { level: 'debug', message: 'A registration without a runner was removed.', registration: event.name }
    case 'registration-kept':
      return ofFailure('warn', event.failure, { registration: event.name })
    case 'write-failed':
      return writeFailed(event)
    case 'runner-registered':
    case 'pod-created':
    case 'runner-started':
    case 'runner-online':
    case 'job-started':
    case 'job-late':
    case 'job-pod-failed':
    case 'job-doubtful':
    case 'job-repeated':
    case 'job-not-repeated':
    case 'job-finished':
    case 'runner-cordoned':
    case 'cordon-failed':
    case 'runner-ended':
    case 'runner-delayed':
    case 'runner-failed':
    case 'runner-gone':
    case 'start-refused':
      return ofRunner(event)
    default:
      return ofProcess(event)
  }
}

const recordsLeft: LogLine = {
  level: 'warn',
  message: 'The forge may still have records of the deleted RunnerSet.',
  next: 'Remove the records with `dayfly sweep`, or at the forge.',
}

function limitedUntil(until: Instant): LogLine {
  return {
    level: 'info',
    message: 'Runners wait for the limit of the forge on registrations.',
    until: timestamp(until),
  }
}

function setInvalid(problems: readonly string[]): LogLine {
  const next = 'Correct the set. Dayfly reads it again as soon as it changes.'
  return { level: 'warn', message: problems.join('; '), reason: 'spec-invalid', next }
}

type QueueEvent = Extract<JournalEvent, { kind: 'job-waits' | 'job-dropped' | 'demand-changed' }>

function ofQueue(event: QueueEvent): LogLine {
  switch (event.kind) {
    case 'job-waits':
      return { level: 'debug', message: 'A job waits.', job: event.job.id, name: event.job.name }
    case 'job-dropped':
      return { level: 'debug', message: 'A job ended without a runner.', job: event.job, result: event.result }
    case 'demand-changed': {
      const { demand } = event
      const counts = demand.kind === 'utilisation' ? { busy: demand.busy, idle: demand.idle } : { jobs: demand.jobs }
      return { level: 'debug', message: 'The demand changed.', ...counts }
    }
  }
}

function writeFailed({ action, message }: Extract<JournalEvent, { kind: 'write-failed' }>): LogLine {
  const next = 'Check the API server and the rights of the controller. Dayfly tries again by itself.'
  return { level: 'warn', message: `${action} failed: ${message}`, reason: 'api-unavailable', next }
}

function ofFailure(
  level: LogLevel,
  { reason, message }: Failure,
  more: Readonly<Record<string, string | number | undefined>> = {},
): LogLine {
  const { sentence, next } = failureInfo(reason)
  const whole = message === '' ? sentence : `${sentence.replace(/\.$/, '')}: ${message}`
  return { level, message: whole, reason, next, ...more }
}

type RunnerEvent = Extract<JournalEvent, { readonly runner: string }>

function ofRunner(event: RunnerEvent): LogLine {
  switch (event.kind) {
    case 'runner-registered':
      return { level: 'debug', message: 'The runner is registered at the forge.', registration: event.registration }
    case 'pod-created':
      return { level: 'debug', message: 'The pod of the runner was created.', uid: event.uid }
    case 'runner-started':
      return { level: 'debug', message: 'The container of the runner runs.', node: event.node }
    case 'runner-online':
      return { level: 'debug', message: 'The forge sees the runner online.' }
    case 'job-started':
      return {
        level: 'info',
        message: 'A job started.',
        job: event.job.id,
        name: event.job.name,
        queuedSeconds: secondsOf(event.queuedMs),
      }
    case 'job-late':
      return {
        level: 'warn',
        message: 'The runner took another job before it was cordoned. The job may finish.',
        job: event.job,
        next: lateJobNext,
      }
    case 'job-pod-failed':
      return ofFailure('warn', event.failure, { pod: event.pod })
    case 'job-doubtful': {
      const line = ofFailure('warn', event.failure, { job: event.job })
      return { ...line, message: `${doubtOf(event.runner)} ${line.message}` }
    }
    case 'job-repeated':
    case 'job-not-repeated': {
      const { job, repository, run, cause } = event
      return { level: 'info', message: rerunText(event), job, repository, run, cause }
    }
    case 'runner-cordoned':
      return { level: 'debug', message: 'The runner is cordoned: it gets no other job.' }
    case 'job-finished':
      return { level: 'info', message: `The job ended: ${event.result}.`, job: event.job, result: event.result }
    case 'runner-ended':
      return {
        level: 'debug',
        message: 'The container of the runner ended.',
        exitCode: event.exitCode,
        end: event.reason,
      }
    case 'cordon-failed':
    case 'runner-delayed':
    case 'runner-failed':
    case 'start-refused':
      return ofFailure('warn', event.failure)
    case 'runner-gone':
      return { level: 'debug', message: 'The runner is gone.', because: event.because }
    default:
      return unreachable(event)
  }
}

type ProcessEvent = Exclude<JournalEvent, { readonly set: string }>

function ofProcess(event: ProcessEvent): LogLine {
  switch (event.kind) {
    case 'controller-started':
      return { level: 'info', message: 'The controller started.', identity: event.identity }
    case 'health-listening':
      return { level: 'info', message: `Health checks and metrics listen on ${event.address}.`, address: event.address }
    case 'history-failed':
      return { level: 'warn', message: event.message }
    case 'dashboard-listening':
      return { level: 'info', message: `The page is served on ${event.address}.`, address: event.address }
    case 'webhooks-listening':
      return { level: 'info', message: `Webhooks are taken on ${event.address}.`, address: event.address }
    case 'leadership-gained':
      return { level: 'info', message: 'This process leads from now on.', identity: event.identity }
    case 'leadership-lost':
      return {
        level: event.planned ? 'info' : 'warn',
        message: `This process no longer leads: ${event.why}.`,
        identity: event.identity,
      }
    case 'election-failed':
      return ofCluster(event.by, `The Lease of the election cannot be used: ${event.message}`, 'the Lease')
    case 'election-recovered':
      return { level: 'info', message: 'The Lease of the election can be used again.' }
    case 'cluster-unavailable':
      return ofCluster('outage', `The API server cannot be used yet: ${event.message}`, 'the API server')
    case 'watch-failed':
      return {
        ...ofCluster(event.by, `The watch of ${event.resource} is broken: ${event.message}`, event.resource),
        resource: event.resource,
      }
    case 'watch-recovered':
      return {
        level: 'info',
        message: `The watch of ${event.resource} works again.`,
        resource: event.resource,
        objects: event.objects,
      }
    case 'telemetry-failed': {
      const next = 'Check the collector and the variables OTEL_EXPORTER_OTLP_*. Runners do not depend on it.'
      return { level: 'warn', message: event.message, reason: event.kind, next }
    }
    case 'controller-stopping':
      return { level: 'info', message: `The controller stops: ${event.why}. Runners live on.` }
    case 'stop-cut-short':
      return {
        level: 'warn',
        message: `Actions were still under way after ${event.afterMs / 1000} s. The next leader finds what they did.`,
        next: 'Check the latency of the API server and of the forge.',
      }
    case 'controller-stopped':
      return { level: 'info', message: 'The controller has stopped.', identity: event.identity }
    default:
      return unreachable(event)
  }
}

function ofCluster(by: ClusterFault, message: string, about: string): LogLine {
  if (by === 'outage') {
    const next = 'Check the API server and the network. Dayfly tries again by itself.'
    return { level: 'warn', message, reason: 'api-unavailable', next }
  }
  const next = `Check the custom resource definition, the Role of the controller for ${about}, and its token. Dayfly tries again by itself.`
  return { level: 'error', message, reason: 'installation-broken', next }
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(0, ms) / 1000
}

type ForgeKinds = 'forge-connected' | 'forge-failed' | 'runner-version-ends' | 'credential-changed'

function ofForge(event: Extract<JournalEvent, { readonly kind: ForgeKinds }>): LogLine {
  switch (event.kind) {
    case 'forge-connected':
      return { level: 'info', message: 'The forge is connected.' }
    case 'credential-changed':
      return { level: 'info', message: 'The credential of the forge changed. The set connects again with the new one.' }
    default:
      return ofFailure('warn', event.failure)
  }
}

function ofTemplate(
  event: Extract<JournalEvent, { readonly kind: 'template-accepted' | 'template-refused' }>,
): LogLine {
  const { hash: template } = event
  if (event.kind === 'template-refused') return ofFailure('warn', event.failure, { template })
  return { level: 'info', message: 'The API server accepts the pod template.', template }
}

type WriteKinds = 'size-applied' | 'size-failed' | 'cost-labels-failed'
function ofWrite(event: Extract<JournalEvent, { readonly kind: WriteKinds }>): LogLine {
  if (event.kind === 'cost-labels-failed') return ofFailure('warn', event.failure)
  const { size } = event
  if (event.kind === 'size-failed') return ofFailure('warn', event.failure, { size })
  return { level: 'info', message: sizeTexts[event.did], size }
}
