// The lifecycle of a pod on the node: volumes, containers in their order, termination, and the status that reports it.
import type { Instant } from '../../lib/clock.ts'
import { ApiError } from '../api/errors.ts'
import type { PodFacts } from './conditions.ts'
import { fieldOf, type PodContext } from './context.ts'
import { mounting } from './mounting.ts'
import { type Phase, phaseOf } from './phase.ts'
import { planPod } from './plan.ts'
import { asPod } from './pod.ts'
import { type ContainerRecord, hasBegun } from './record.ts'
import { startContainer } from './start-container.ts'
import { podStatus } from './status.ts'
import { graceSecondsOf, stopContainer, stopPod } from './termination.ts'

export interface Lifecycle {
  /** Does everything that is due, and writes the pod's status. */
  step(): Promise<void>
  /** Ends and removes everything of a pod whose object is gone from the cluster. */
  leave(): Promise<void>
  /** Cancels timers and waits. */
  stop(): void
}

/** The delay before the first status of a pod that is still pending. A pod that starts within it reports only that it runs. */
const silenceMs = 40

const overdue = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
}

export function createLifecycle(context: PodContext): Lifecycle {
  const { clock, registry, runtime, records, pod } = context
  const startTime: Instant = clock.now()
  const volumes = mounting(context)
  const notes: Notes = { end: terminal(pod().status.phase), failure: undefined, hasSandbox: false, isSilent: true }
  let isConfirmed = false
  const write = () => writeStatus(context, notes, startTime)
  const silence = clock.after(silenceMs, () => {
    notes.isSilent = false
    write()
  })

  const finish = async (graceSeconds: number) => {
    if (records.some(({ state }) => state.is === 'running')) {
      write()
      await stopPod(context, graceSeconds)
      write()
    }
    notes.hasSandbox = false
    giveUpWaiting(records, clock.now())
    const phase = terminal(phaseOf(records, pod().spec.restartPolicy, true))
    notes.end = notes.failure ? 'Failed' : (phase ?? 'Failed')
    write()
    await confirm()
  }
  /** Removes the object of a deleted pod as the last step. */
  const confirm = async () => {
    const { deletionTimestamp, namespace, name, uid } = pod().metadata
    if (isConfirmed || deletionTimestamp === undefined) return
    isConfirmed = true
    await runtime.remove(uid)
    try {
      registry.delete('pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } })
    } catch (error) {
      // Another client deleted the object first. A new pod may already have the same name.
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status.code)) throw error
    }
  }
  const step = async () => {
    const { metadata, spec } = pod()
    if (notes.end) return await confirm()
    if (metadata.deletionTimestamp !== undefined) return await finish(graceSecondsOf(pod()))
    if (isOverdue(context, startTime)) {
      notes.failure = overdue
      context.events.record('Normal', overdue.reason, overdue.message)
      return await finish(graceSecondsOf(pod()))
    }
    const mounted = volumes.volumes()
    if (!mounted) return volumes.hasReported() ? write() : undefined
    if (!notes.hasSandbox) reportSandbox(notes, write)
    for (const record of records) if (record.failing && record.state.is === 'running') await endFailing(context, record)
    // A sidecar without a startup probe counts as started at once, so the containers after it start in the same step.
    for (let isSettled = false; !isSettled && !context.until.aborted; ) {
      const plan = planPod(records, spec.restartPolicy)
      if (plan.do === 'end') return await finish(graceSecondsOf(pod()))
      for (const record of plan.containers) {
        if (!context.until.aborted) await startContainer(context, record, mounted)
      }
      isSettled = !plan.containers.some(({ role, started }) => role === 'sidecar' && started)
    }
    write()
  }
  const leave = async () => {
    await stopPod(context, graceSecondsOf(pod()))
    await runtime.remove(pod().metadata.uid)
  }
  const stop = () => {
    silence.cancel()
    volumes.stop()
    for (const record of records) record.stopWaiting()
  }
  return { step, leave, stop }
}

type Notes = {
  /** The phase in which the pod ended; undefined while it has not. */
  end: Phase | undefined
  failure: PodFacts['failure']
  hasSandbox: boolean
  isSilent: boolean
}

/** Reports the sandbox before the first container starts, because the container's hook may hang (Kubernetes 1.36: OnPodSandboxReady). */
function reportSandbox(notes: Notes, write: () => void): void {
  notes.hasSandbox = true
  write()
}

function terminal(phase: string): Phase | undefined {
  return phase === 'Succeeded' || phase === 'Failed' ? phase : undefined
}

/** Writes the pod's status. A terminal phase is never overwritten, nor the status of another pod with the same name. */
function writeStatus({ registry, records, pod, clock, until }: PodContext, notes: Notes, startTime: Instant): void {
  const { namespace, name, uid } = pod().metadata
  const stored = registry.get('pods', namespace, name)
  if (until.aborted || stored?.metadata.uid !== uid) return
  const current = asPod(stored)
  if (terminal(current.status.phase)) return
  const { end, failure, hasSandbox } = notes
  const computed = phaseOf(records, pod().spec.restartPolicy, false)
  // A pod keeps its phase until all its containers have stopped.
  const phase = end ?? (terminal(computed) ? (current.status.phase as Phase) : computed)
  if (notes.isSilent && phase === 'Pending' && !records.some(hasReport)) return
  const status = podStatus(current, { records, phase, startTime, hasSandbox, failure }, clock.now())
  if (status !== current.status) registry.update('pods', { ...current, status }, { subresource: 'status' })
}

function hasReport({ state }: ContainerRecord): boolean {
  return state.is !== 'waiting' || state.reason !== undefined
}

function isOverdue(context: PodContext, startTime: Instant): boolean {
  const { activeDeadlineSeconds } = context.pod().spec
  if (activeDeadlineSeconds === undefined) return false
  const deadline = startTime + activeDeadlineSeconds * 1000
  if (context.clock.now() >= deadline) return true
  context.wakeAt(deadline)
  return false
}

async function endFailing(context: PodContext, record: ContainerRecord): Promise<void> {
  const message = `Container ${record.spec.name} failed ${record.failing} probe, will be restarted`
  context.events.record('Normal', 'Killing', message, fieldOf(record))
  await stopContainer(context, record, { graceSeconds: graceSecondsOf(context.pod()), hasEvent: true })
}

/** Marks containers that never ran as unknown when the pod ends, unless the pod was still initializing (Kubernetes: TerminatePod). */
function giveUpWaiting(records: readonly ContainerRecord[], now: Instant): void {
  const lastInit = records.filter(({ role }) => role !== 'regular').at(-1)
  const isInitialised =
    hasBegun(records) || !lastInit || (lastInit.state.is === 'terminated' && lastInit.state.exitCode === 0)
  if (!isInitialised) return
  for (const record of records) {
    if (record.role !== 'regular' || record.state.is !== 'waiting') continue
    record.state = {
      is: 'terminated',
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
      startedAt: undefined,
      finishedAt: now,
    }
  }
}
