// Finds pods that do not start, with the reason from their status and events.
import type { Instant } from '@dayfly/kit/clock'
import { listAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import { failureInfo, reasonOfContainer, reasonOfEvent } from '@dayfly/runner-set/model/failure'
import { durationText } from '../duration-text.ts'
import type { LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type ContainerState, containerStates } from '../pods/container-states.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn } from '../pods/pod-parts.ts'
import { eventIndex } from '../read/objects/events.ts'
import { ageOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'stuck-creating',
  code: 'LIV303',
  title: 'A pod does not start',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'none',
  check: (facts) =>
    withLive(facts, ['Pod'], (live) => {
      const seen = eventIndex(facts)
      return facts.pods.filter(({ object }) => object.kind === 'Pod').flatMap((pod) => check(pod, seen, live))
    }),
}

type Events = ReturnType<typeof eventIndex>

/** Milliseconds since the pod was created, or since it got its node. */
const minPending = 300_000

/** Milliseconds: a lasting problem is reported again within about two minutes, so an older event is over. */
const maxEventAge = 600_000

function check(pod: PodView, seen: Events, live: LiveFacts): readonly Hit[] {
  const age = ageOf(pod.raw, live.at) ?? 0
  const isDeleted = valueAt(pod.raw, 'metadata', 'deletionTimestamp') !== undefined
  if (textAt(pod.raw, 'status', 'phase') !== 'Pending' || isDeleted || age < minPending) return []
  const scheduled = conditionOf(pod, 'PodScheduled')
  // The pod waits in a queue on purpose (Kueue).
  if (textAt(scheduled, 'reason') === 'SchedulingGated') return []
  const onNode = live.at - (timeAt(scheduled, 'lastTransitionTime') ?? 0)
  const cause =
    textAt(scheduled, 'status') === 'False'
      ? schedulingCause(scheduled)
      : onNode < minPending
        ? undefined
        : (imageCause(pod) ?? eventCause(pod, seen, live.at) ?? startCause(pod, seen))
  const slow = cause === undefined && onNode >= minPending ? unfinishedInit(pod) : undefined
  const reason = cause ?? slow?.reason
  if (reason === undefined) return []
  return [
    hitIn(pod, {
      path: ['status', 'phase'],
      ...(slow && !slow.isCertain ? { confidence: 'medium' as const } : {}),
      message: `Pending for ${durationText(age)}: ${reason.replace(/\.?$/, '.')}`,
    }),
  ]
}

function conditionOf(pod: PodView, type: string): unknown {
  return listAt(pod.raw, 'status', 'conditions').find((each) => textAt(each, 'type') === type)
}

function schedulingCause(condition: unknown): string {
  return `no node fits: ${textAt(condition, 'message') ?? textAt(condition, 'reason') ?? 'the scheduler gives no reason'}`
}

function imageCause(pod: PodView): string | undefined {
  for (const { name, reason, message } of statesOf(pod)) {
    const failure = reasonOfContainer(reason)
    if (failure === undefined) continue
    const what = failure === 'image-missing' || failure === 'image-invalid' ? 'the image of' : 'the configuration of'
    return `${what} ${name} does not work (${reason})${message ? `: ${message}` : ''}`
  }
  return undefined
}

/** The failures that the kubelet and the volume controllers report by Events, the most severe first. */
const reported = ['volume-failed', 'sandbox-failed', 'hook-failed'] as const

/** Returns the most severe recent event. Volumes and the sandbox come first: once a container has started, their events are over. */
function eventCause(pod: PodView, seen: Events, at: Instant): string | undefined {
  const hasStarted = statesOf(pod).some(({ state }) => state === 'running' || state === 'terminated')
  const events = seen(pod).filter(({ last }) => at - last < maxEventAge)
  for (const failure of hasStarted ? (['hook-failed'] as const) : reported) {
    const found = events.find(({ reason }) => reasonOfEvent(reason) === failure)
    if (found) return `${clause(failureInfo(failure).sentence)}: ${found.message}`
  }
  return undefined
}

/** Makes a sentence a part of another one. */
function clause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')
}

/** Returns the init container that still runs. A daemon never ends; any other container may only be slow. */
function unfinishedInit(pod: PodView): { readonly reason: string; readonly isCertain: boolean } | undefined {
  const states = containerStates(pod.raw, 'initContainerStatuses')
  const found = pod.containers.find(
    ({ name, role }) => role === 'init' && states.some((each) => each.name === name && each.state === 'running'),
  )
  if (!found) return undefined
  return daemonOf(found, pod)
    ? {
        reason: `the init container ${found.name} is a daemon and never ends: it needs restartPolicy Always`,
        isCertain: true,
      }
    : { reason: `the init container ${found.name} still runs: read its log`, isCertain: false }
}

/** Returns the reason if a sidecar never starts, a container restarts in a loop, or a hook never returns. */
function startCause(pod: PodView, seen: Events): string | undefined {
  const states = statesOf(pod)
  for (const container of pod.containers) {
    const state = states.find(({ name }) => name === container.name)
    if (container.role === 'sidecar' && state?.state === 'running' && !state.started && container.startupProbe) {
      return `the startup probe of ${container.name} does not succeed`
    }
    if (state?.reason === 'CrashLoopBackOff') return `${container.name} crashes again and again (CrashLoopBackOff)`
    if (container.postStart?.exec && creating.test(state?.reason ?? '') && isInHook(container, pod, seen)) {
      return `the postStart command of ${container.name} may hang`
    }
  }
  return undefined
}

const creating = /^(ContainerCreating|PodInitializing)$/
const startReasons = /^(Pulling|Pulled|Created|Started)$/

/**
 * Returns whether the hook of this container seems to run. The kubelet's only worker of the pod waits for the hook (SyncPod in
 * pkg/kubelet). So the pod's status stays as it was before the start, without an address. Only the events show that this
 * container was started and no later one. If the events have expired, an existing sandbox is taken as the sign.
 */
function isInHook(container: ContainerView, pod: PodView, seen: Events): boolean {
  const events = seen(pod).filter(({ reason }) => startReasons.test(reason))
  if (events.length === 0) {
    const ready = textAt(conditionOf(pod, 'PodReadyToStartContainers'), 'status') === 'True'
    return container.role === 'container' && (ready || textAt(pod.raw, 'status', 'podIP') !== undefined)
  }
  const about = (each: ContainerView) => {
    const field = `spec.${each.role === 'container' ? 'containers' : 'initContainers'}{${each.name}}`
    return events.filter((event) => event.field === field)
  }
  const later = pod.containers.slice(pod.containers.indexOf(container) + 1)
  const isStarted = about(container).some(({ reason }) => reason === 'Started')
  return isStarted && later.every((each) => about(each).length === 0)
}

function statesOf(pod: PodView): readonly ContainerState[] {
  return [...containerStates(pod.raw, 'initContainerStatuses'), ...containerStates(pod.raw, 'containerStatuses')]
}
