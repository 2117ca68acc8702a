// The back-offs before a container is started: after a crash, a failed image pull, or an incomplete configuration.
import type { ImageVerdict } from '../runtime/runtime.ts'
import { fieldOf, type PodContext } from './context.ts'
import type { ConfigError } from './lookup.ts'
import { podLabel } from './pod.ts'
import type { ContainerRecord } from './record.ts'

/** Kubernetes' back-off: 10 s, doubled up to 5 min. A run of 10 min resets it. */
const backoffMs = { first: 10_000, longest: 300_000, clearedBy: 600_000 }

const crashLoop = 'CrashLoopBackOff'

/** The delay between a failed pull and the report of its back-off. */
const pullPauseMs = 1_000

/** The delays before the next attempts while a Secret or ConfigMap is missing. The first attempt is not reported. */
const configPausesMs = [100, 1_000, 12_000]

/** Returns whether the container must wait for its back-off. The first restart is immediate; every later one is delayed. */
export function waitForCrash(context: PodContext, record: ContainerRecord): boolean {
  const now = context.clock.now()
  if (now < record.notBefore) {
    continueBackoff(context, record)
    return true
  }
  const { state } = record
  if (state.is === 'waiting' && state.reason === crashLoop) raiseCrashBackoff(record)
  if (state.is !== 'terminated') return false
  if (state.finishedAt - (state.startedAt || state.finishedAt) >= backoffMs.clearedBy) record.crashBackoffMs = 0
  const due = state.finishedAt + record.crashBackoffMs
  if (record.crashBackoffMs > 0 && now < due) {
    record.notBefore = due
    record.last = state
    const { name } = record.spec
    const pause = `back-off ${duration(record.crashBackoffMs)} restarting failed container=${name}`
    record.state = { is: 'waiting', reason: crashLoop, message: `${pause} pod=${podLabel(context.pod())}` }
    const message = `Back-off restarting failed container ${name} in pod ${podLabel(context.pod())}`
    context.events.record('Warning', 'BackOff', message, fieldOf(record))
    context.wakeAt(due)
    return true
  }
  raiseCrashBackoff(record)
  return false
}

function continueBackoff(context: PodContext, record: ContainerRecord): void {
  context.wakeAt(record.notBefore)
  const { state, spec } = record
  if (state.is !== 'waiting' || state.reason !== 'ErrImagePull') return
  const text = `Back-off pulling image "${spec.image}"`
  record.state = { is: 'waiting', reason: 'ImagePullBackOff', message: `${text}: ErrImagePull: ${state.message}` }
  context.events.record('Normal', 'BackOff', text, fieldOf(record))
  context.events.record('Warning', 'Failed', 'Error: ImagePullBackOff', fieldOf(record))
}

function raiseCrashBackoff(record: ContainerRecord): void {
  const { first, longest } = backoffMs
  record.crashBackoffMs = Math.min(longest, record.crashBackoffMs === 0 ? first : record.crashBackoffMs * 2)
}

export function refuseImage(
  context: PodContext,
  record: ContainerRecord,
  { reason, message }: Extract<ImageVerdict, { is: 'refused' }>,
): void {
  const { events, clock } = context
  const field = fieldOf(record)
  if (record.state.is === 'terminated') record.last = record.state
  record.state = { is: 'waiting', reason, message }
  const pauseMs = Math.min(backoffMs.longest, backoffMs.first * 2 ** record.refusals++)
  if (reason === 'ErrImagePull') {
    events.record('Normal', 'Pulling', `Pulling image "${record.spec.image}"`, field)
    events.record('Warning', 'Failed', `Failed to pull image "${record.spec.image}": ${message}`, field)
    context.wakeAt(clock.now() + pullPauseMs)
  } else {
    events.record('Warning', reason === 'InvalidImageName' ? 'InspectFailed' : reason, message, field)
  }
  events.record('Warning', 'Failed', `Error: ${reason}`, field)
  record.notBefore = clock.now() + pauseMs
  context.wakeAt(record.notBefore)
}

/** Records a `ConfigError`. The first attempt is not reported, because a Secret often follows its pod closely. Its creation ends the wait. */
export function refuseConfig(context: PodContext, record: ContainerRecord, error: ConfigError): void {
  const { clock, events } = context
  const pauseMs = configPausesMs[Math.min(record.refusals, configPausesMs.length - 1)] ?? 0
  if (record.refusals > 0 || !error.awaited) {
    if (record.state.is === 'terminated') record.last = record.state
    record.state = { is: 'waiting', reason: 'CreateContainerConfigError', message: error.message }
    events.record('Warning', 'Failed', `Error: ${error.message}`, fieldOf(record))
  }
  record.refusals++
  record.notBefore = clock.now() + pauseMs
  context.wakeAt(record.notBefore)
  record.stopWaiting()
  if (!error.awaited) return
  record.stopWaiting = context.awaitObject(context.pod().metadata.namespace, error.awaited, () => {
    record.notBefore = 0
    context.wake()
  })
}

/** Formats a duration as Go does: `10s`, `1m20s`, `5m0s`. */
function duration(ms: number): string {
  const seconds = ms / 1000
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
