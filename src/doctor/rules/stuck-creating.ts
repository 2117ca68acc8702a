// A pod that does not get to run, with the reason from its status and events.
import type { Instant } from '../../lib/clock.ts'
import { listAt, textAt, timeAt, valueAt } from '../../lib/read-json.ts'
import { durationText } from '../duration-text.ts'
import type { LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { eventIndex } from '../objects/events.ts'
import { ageOf } from '../objects/metadata.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type ContainerState, containerStates } from '../pods/container-states.ts'
import { daemonOf } from '../pods/daemon.ts'
import { hitIn } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'stuck-creating',
  code: 'LIV303',
  title: 'A pod does not get to run',
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

/** Milliseconds since the pod was made, or since it got its node. */
const window = 300_000

/** Milliseconds: what hinders a pod is said again within two minutes or so; what was said earlier is over. */
const recent = 600_000

function check(pod: PodView, seen: Events, live: LiveFacts): readonly Hit[] {
  const age = ageOf(pod.raw, live.at) ?? 0
  const isDeleted = valueAt(pod.raw, 'metadata', 'deletionTimestamp') !== undefined
  if (textAt(pod.raw, 'status', 'phase') !== 'Pending' || isDeleted || age < window) return []
  const scheduled = conditionOf(pod, 'PodScheduled')
  // Waiting in a queue on purpose (Kueue).
  if (textAt(scheduled, 'reason') === 'SchedulingGated') return []
  const onNode = live.at - (timeAt(scheduled, 'lastTransitionTime') ?? 0)
  const cause =
    textAt(scheduled, 'status') === 'False'
      ? unscheduled(scheduled)
      : onNode < window
        ? undefined
        : (image(pod) ?? event(pod, seen, live.at) ?? startup(pod, seen))
  const slow = cause === undefined && onNode >= window ? runningInit(pod) : undefined
  const says = cause ?? slow?.says
  if (says === undefined) return []
  return [
    hitIn(pod, {
      path: ['status', 'phase'],
      ...(slow && !slow.surely ? { confidence: 'medium' as const } : {}),
      message: `Pending for ${durationText(age)}: ${says.replace(/\.?$/, '.')}`,
    }),
  ]
}

function conditionOf(pod: PodView, type: string): unknown {
  return listAt(pod.raw, 'status', 'conditions').find((each) => textAt(each, 'type') === type)
}

function unscheduled(condition: unknown): string {
  return `no node takes it: ${textAt(condition, 'message') ?? textAt(condition, 'reason') ?? 'the scheduler does not say why'}`
}

const imageReasons = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError)$/
const configReasons = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/

function image(pod: PodView): string | undefined {
  const state = statesOf(pod).find(({ reason }) => imageReasons.test(reason ?? '') || configReasons.test(reason ?? ''))
  if (!state) return undefined
  const what = imageReasons.test(state.reason ?? '') ? 'the image of' : 'the configuration of'
  return `${what} ${state.name} does not work (${state.reason})${state.message ? `: ${state.message}` : ''}`
}

const hookFailed = 'FailedPostStartHook'

/** What the kubelet and the volume controllers say, the gravest first. */
const eventReasons: readonly (readonly [string, string])[] = [
  ['FailedAttachVolume', 'a volume cannot be attached'],
  ['FailedMount', 'a volume cannot be mounted'],
  ['FailedCreatePodSandBox', 'its sandbox cannot be made (network, runtime)'],
  ['NetworkNotReady', 'the network of its node is not ready'],
  [hookFailed, 'its postStart command fails'],
]

/** Volumes and the sandbox come before every container: once one has started, what was said of them is over. */
function event(pod: PodView, seen: Events, at: Instant): string | undefined {
  const hasStarted = statesOf(pod).some(({ state }) => state === 'running' || state === 'terminated')
  const events = seen(pod).filter(({ last, reason }) => at - last < recent && (!hasStarted || reason === hookFailed))
  for (const [reason, what] of eventReasons) {
    const found = events.find((each) => each.reason === reason)
    if (found) return `${what}: ${found.message}`
  }
  return undefined
}

/** An init container that has not ended: a daemon never will, any other may have much to do. */
function runningInit(pod: PodView): { readonly says: string; readonly surely: boolean } | undefined {
  const states = containerStates(pod.raw, 'initContainerStatuses')
  const found = pod.containers.find(
    ({ name, role }) => role === 'init' && states.some((each) => each.name === name && each.state === 'running'),
  )
  if (!found) return undefined
  return daemonOf(found, pod)
    ? {
        says: `the init container ${found.name} is a daemon and never ends: it needs restartPolicy Always`,
        surely: true,
      }
    : { says: `the init container ${found.name} still runs: its log says at what`, surely: false }
}

/** A sidecar that never starts, a container that ends again and again, a hook that never returns. */
function startup(pod: PodView, seen: Events): string | undefined {
  const states = statesOf(pod)
  for (const container of pod.containers) {
    const state = states.find(({ name }) => name === container.name)
    if (container.role === 'sidecar' && state?.state === 'running' && !state.started && container.startupProbe) {
      return `the startup probe of ${container.name} does not succeed`
    }
    if (state?.reason === 'CrashLoopBackOff') return `${container.name} ends again and again (CrashLoopBackOff)`
    if (container.postStart?.exec && creating.test(state?.reason ?? '') && isInHook(container, pod, seen)) {
      return `the postStart command of ${container.name} may hang`
    }
  }
  return undefined
}

const creating = /^(ContainerCreating|PodInitializing)$/
const startReasons = /^(Pulling|Pulled|Created|Started)$/

/**
 * While the hook runs, the kubelet's one worker of the pod waits for it: its status stays as it was before the start, without
 * an address, and only the events tell that the container has been started and none after it (Kubernetes: pkg/kubelet, SyncPod).
 * Where they have expired, a sandbox that is there has to do.
 */
function isInHook(container: ContainerView, pod: PodView, seen: Events): boolean {
  const told = seen(pod).filter(({ reason }) => startReasons.test(reason))
  if (told.length === 0) {
    const ready = textAt(conditionOf(pod, 'PodReadyToStartContainers'), 'status') === 'True'
    return container.role === 'container' && (ready || textAt(pod.raw, 'status', 'podIP') !== undefined)
  }
  const about = (each: ContainerView) => {
    const field = `spec.${each.role === 'container' ? 'containers' : 'initContainers'}{${each.name}}`
    return told.filter((event) => event.field === field)
  }
  const later = pod.containers.slice(pod.containers.indexOf(container) + 1)
  const isStarted = about(container).some(({ reason }) => reason === 'Started')
  return isStarted && later.every((each) => about(each).length === 0)
}

function statesOf(pod: PodView): readonly ContainerState[] {
  return [...containerStates(pod.raw, 'initContainerStatuses'), ...containerStates(pod.raw, 'containerStatuses')]
}
