// The lifecycle of a pod on the node: volumes, containers in their order, termination, and the status that reports it.
import type { Instant } from '@dayfly/kit/clock'
import { ApiError } from '../api/errors.ts'
import { text } from '../api/values/json.ts'
import type { Volume } from '../runtime/runtime.ts'
import type { PodFacts } from './conditions.ts'
import type { PodContext } from './context.ts'
import { mounting } from './mounting.ts'
import { isFinal, type Phase, phaseOf } from './phase.ts'
import { planPod } from './plan.ts'
import { asPod, type Pod, type RestartPolicy } from './pod.ts'
import { type ContainerRecord, hasRun, shouldRestart } from './record.ts'
import { reportPullSecrets, startContainer } from './start-container.ts'
import { podStatus } from './status.ts'
import { graceSecondsOf, stopContainer, stopPod } from './termination.ts'
import { forgetWaiting, giveUpWaiting } from './waiting.ts'

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
  const { clock, registry, runtime, records, pod, until } = context
  const startTime: Instant = startTimeOf(pod()) ?? clock.now()
  const volumes = mounting(context)
  const notes = newNotes(pod())
  let isConfirmed = false
  const write = () => {
    // The containers of an earlier kubelet have a sandbox.
    if (records.some(({ state }) => state.is === 'running')) notes.hasSandbox = true
    writeStatus(context, notes, startTime)
  }
  const silence = clock.after(silenceMs, () => {
    notes.isSilent = false
    write()
  })

  const finish = async (graceSeconds: number) => {
    forgetWaiting(records)
    write()
    await stopPod(context, graceSeconds)
    if (until.aborted) return
    notes.hasSandbox = false
    notes.computed = notes.failure ? 'Failed' : phaseOf(records, pod().spec.restartPolicy, true)
    notes.end = terminal(notes.computed) ?? 'Failed'
    giveUpWaiting(records, clock.now())
    write()
    await confirm()
  }
  /** Removes the object of a deleted pod as the last step. */
  const confirm = async () => {
    const { deletionTimestamp, namespace, name, uid } = pod().metadata
    if (isConfirmed || deletionTimestamp === undefined || until.aborted) return
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
    // Containers of an earlier kubelet end as usual, also if a Secret of their pod is gone.
    if (!mounted && !records.some(hasRun)) return volumes.hasReported() ? write() : undefined
    if (!notes.hasSandbox) reportSandbox(notes, write)
    if (probesEndPod(records, spec.restartPolicy)) return await finish(graceSecondsOf(pod()))
    // Each end is reported before anything else starts. A container that a probe ends starts again in the same step.
    write()
    for (const record of records) if (isFailing(record)) await endFailing(context, record)
    await startDue(context, mounted, { write, finish: () => finish(graceSecondsOf(pod())) })
  }
  const leave = async () => {
    await stopPod(context, graceSecondsOf(pod()))
    if (!until.aborted) await runtime.remove(pod().metadata.uid)
  }
  const stop = () => {
    silence.cancel()
    volumes.stop()
    for (const record of records) record.stopWaiting()
  }
  return { step, leave, stop }
}

/** A pod of an earlier kubelet keeps its start, from which its deadline counts. */
function startTimeOf({ status }: Pod): Instant | undefined {
  const known = text(status, 'startTime')
  return known === '' ? undefined : Date.parse(known)
}

type Steps = { write(): void; finish(): Promise<void> }

/** Starts every container whose turn it is, or ends the pod if its work is done. */
async function startDue(
  context: PodContext,
  volumes: ReadonlyMap<string, Volume> | undefined,
  { write, finish }: Steps,
): Promise<void> {
  const { records, pod, until } = context
  // A sidecar without a startup probe counts as started at once, so the containers after it start in the same step.
  for (let isSettled = false; !isSettled && !until.aborted; ) {
    const plan = planPod(records, pod().spec.restartPolicy)
    if (plan.do === 'end') return await finish()
    if (volumes === undefined) return
    if (plan.containers.length > 0) reportPullSecrets(context)
    for (const record of plan.containers) if (!until.aborted) await startContainer(context, record, volumes)
    isSettled = !plan.containers.some(({ role, started }) => role === 'sidecar' && started)
    write()
  }
}

type Notes = {
  /** The phase in which the pod ended; undefined while it has not. */
  end: Phase | undefined
  /** The phase that the containers showed when the pod ended. */
  computed: Phase | undefined
  failure: PodFacts['failure']
  hasSandbox: boolean
  isSilent: boolean
}

function newNotes({ status }: Pod): Notes {
  const end = terminal(status.phase)
  return { end, computed: undefined, failure: undefined, hasSandbox: false, isSilent: true }
}

/** Reports the sandbox before the first container starts, because the container's hook may hang (Kubernetes 1.36: OnPodSandboxReady). */
function reportSandbox(notes: Notes, write: () => void): void {
  notes.hasSandbox = true
  write()
}

function terminal(phase: string): Phase | undefined {
  return isFinal(phase) ? phase : undefined
}

/** Writes the pod's status. A terminal phase is never overwritten, nor the status of another pod with the same name. */
function writeStatus({ registry, records, pod, clock, until }: PodContext, notes: Notes, startTime: Instant): void {
  const { namespace, name, uid } = pod().metadata
  const stored = registry.get('pods', namespace, name)
  if (until.aborted || stored?.metadata.uid !== uid) return
  const current = asPod(stored)
  if (terminal(current.status.phase)) return
  const { end, hasSandbox } = notes
  const failure = end && notes.failure
  const computed = notes.computed ?? phaseOf(records, pod().spec.restartPolicy, false)
  // A pod keeps its phase until all its containers have stopped.
  const phase = end ?? (terminal(computed) ? (current.status.phase as Phase) : computed)
  if (notes.isSilent && phase === 'Pending' && !records.some(hasReport)) return
  const status = podStatus(current, { records, phase, computed, startTime, hasSandbox, failure }, clock.now())
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

function isFailing({ failing, state }: ContainerRecord): boolean {
  return failing !== undefined && state.is === 'running'
}

function restartsOnFailure({ spec, role }: ContainerRecord, podPolicy: RestartPolicy): boolean {
  return role === 'sidecar' || (spec.restartPolicy ?? podPolicy) !== 'Never'
}

/** Whether failed probes end the last regular containers, so that the whole pod ends. */
function probesEndPod(records: readonly ContainerRecord[], podPolicy: RestartPolicy): boolean {
  const regular = records.filter(({ role }) => role === 'regular')
  const over = (record: ContainerRecord) =>
    isFailing(record) ? !restartsOnFailure(record, podPolicy) : isEnded(record, podPolicy)
  return regular.some(isFailing) && regular.every(over)
}

function isEnded(record: ContainerRecord, podPolicy: RestartPolicy): boolean {
  const { state } = record
  return state.is === 'terminated' && !shouldRestart(record, state.exitCode, podPolicy)
}

async function endFailing(context: PodContext, record: ContainerRecord): Promise<void> {
  const { spec, role, failing } = record
  const fate = role === 'regular' && restartsOnFailure(record, context.pod().spec.restartPolicy)
  const name = `${role === 'regular' ? 'Container' : 'Init container'} ${spec.name}`
  const why = `${name} failed ${failing} probe${fate ? ', will be restarted' : ''}`
  await stopContainer(context, record, { graceSeconds: graceSecondsOf(context.pod()), why })
}
