// A pod's life on the node: volumes, containers in their order, the end, and the status that tells of it.
import type { Instant } from '../../lib/clock.ts'
import { ApiError } from '../api/errors.ts'
import { fieldOf, type PodContext } from './context.ts'
import { mounting } from './mounting.ts'
import { type Phase, phaseOf } from './phase.ts'
import { planPod } from './plan.ts'
import { asPod } from './pod.ts'
import type { PodFacts } from './pod-facts.ts'
import { type ContainerRecord, hasBegun } from './record.ts'
import { startContainer } from './start-container.ts'
import { podStatus } from './status.ts'
import { graceSecondsOf, stopContainer, stopPod } from './termination.ts'

export interface Life {
  /** Does what is due, and writes what became of it. */
  step(): Promise<void>
  /** The pod is gone from the cluster: ends and removes what there is of it. */
  leave(): Promise<void>
  /** Lets go of timers and waits. */
  stop(): void
}

/** A pod that starts at once is first heard of when it runs; any other after this long. */
const silenceMs = 40

const overdue = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
}

export function createLife(context: PodContext): Life {
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
  /** The object of a deleted pod goes last, by our word. */
  const confirm = async () => {
    const { deletionTimestamp, namespace, name, uid } = pod().metadata
    if (isConfirmed || deletionTimestamp === undefined) return
    isConfirmed = true
    await runtime.remove(uid)
    try {
      registry.delete('pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } })
    } catch (error) {
      // Somebody was faster; the name may even be another pod's by now.
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
    if (!mounted) return volumes.hasComplained() ? write() : undefined
    if (!notes.hasSandbox) tellOfSandbox(notes, write)
    for (const record of records) if (record.failing && record.state.is === 'running') await endFailing(context, record)
    // What comes after a sidecar without a probe need not wait for anything.
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
  /** The phase the pod has ended with. */
  end: Phase | undefined
  failure: PodFacts['failure']
  hasSandbox: boolean
  isSilent: boolean
}

/** Before a container starts, whose hook may hang (Kubernetes 1.36: OnPodSandboxReady). */
function tellOfSandbox(notes: Notes, write: () => void): void {
  notes.hasSandbox = true
  write()
}

function terminal(phase: string): Phase | undefined {
  return phase === 'Succeeded' || phase === 'Failed' ? phase : undefined
}

/** Nothing is written over the end of a pod, nor to another pod of its name. */
function writeStatus({ registry, records, pod, clock, until }: PodContext, notes: Notes, startTime: Instant): void {
  const { namespace, name, uid } = pod().metadata
  const stored = registry.get('pods', namespace, name)
  if (until.aborted || stored?.metadata.uid !== uid) return
  const current = asPod(stored)
  if (terminal(current.status.phase)) return
  const { end, failure, hasSandbox } = notes
  const computed = phaseOf(records, pod().spec.restartPolicy, false)
  // Until everything is stopped a pod keeps the phase it has.
  const phase = end ?? (terminal(computed) ? (current.status.phase as Phase) : computed)
  if (notes.isSilent && phase === 'Pending' && !records.some(isTelling)) return
  const status = podStatus(current, { records, phase, startTime, hasSandbox, failure }, clock.now())
  if (status !== current.status) registry.update('pods', { ...current, status }, { subresource: 'status' })
}

function isTelling({ state }: ContainerRecord): boolean {
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
  await stopContainer(context, record, { graceSeconds: graceSecondsOf(context.pod()), isTold: true })
}

/** A container that never came to run ends as unknown once the pod is over, unless the pod was still initialising (Kubernetes: TerminatePod). */
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
