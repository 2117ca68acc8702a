// A pod that does not get to run, with the reason from its status and events.
import type { LiveFacts } from '../facts.ts'
import { listAt, textAt, valueAt } from '../fields.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { ageOf, type ContainerState, containerStates, durationText, eventIndex } from '../live-pod.ts'
import { hitIn } from '../pod-parts.ts'
import type { PodView } from '../pod-view.ts'
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

/** Milliseconds since the pod was made. */
const window = 300_000

function check(pod: PodView, seen: Events, live: LiveFacts): readonly Hit[] {
  const age = ageOf(pod.raw, live.at) ?? 0
  const isDeleted = valueAt(pod.raw, 'metadata', 'deletionTimestamp') !== undefined
  if (textAt(pod.raw, 'status', 'phase') !== 'Pending' || isDeleted || age < window) return []
  const cause = scheduling(pod) ?? image(pod) ?? event(pod, seen) ?? startup(pod)
  if (cause === undefined) return []
  return [
    hitIn(pod, {
      path: ['status', 'phase'],
      message: `Pending for ${durationText(age)}: ${cause.replace(/\.?$/, '.')}`,
    }),
  ]
}

function scheduling(pod: PodView): string | undefined {
  const scheduled = listAt(pod.raw, 'status', 'conditions').find((each) => textAt(each, 'type') === 'PodScheduled')
  if (textAt(scheduled, 'status') !== 'False') return undefined
  return `no node takes it: ${textAt(scheduled, 'message') ?? textAt(scheduled, 'reason') ?? 'the scheduler does not say why'}`
}

const imageReasons = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError)$/
const configReasons = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/

function image(pod: PodView): string | undefined {
  const state = statesOf(pod).find(({ reason }) => imageReasons.test(reason ?? '') || configReasons.test(reason ?? ''))
  if (!state) return undefined
  const what = imageReasons.test(state.reason ?? '') ? 'the image of' : 'the configuration of'
  return `${what} ${state.name} does not work (${state.reason})${state.message ? `: ${state.message}` : ''}`
}

/** What the kubelet and the volume controllers say, the gravest first. */
const eventReasons: readonly (readonly [string, string])[] = [
  ['FailedAttachVolume', 'a volume cannot be attached'],
  ['FailedMount', 'a volume cannot be mounted'],
  ['FailedCreatePodSandBox', 'its sandbox cannot be made (network, runtime)'],
  ['NetworkNotReady', 'the network of its node is not ready'],
  ['FailedPostStartHook', 'its postStart command fails'],
]

function event(pod: PodView, seen: Events): string | undefined {
  const events = seen(pod)
  for (const [reason, what] of eventReasons) {
    const found = events.find((each) => each.reason === reason)
    if (found) return `${what}: ${found.message}`
  }
  return undefined
}

/** A sidecar that never starts, an init container that never ends, a hook that never returns. */
function startup(pod: PodView): string | undefined {
  const states = statesOf(pod)
  for (const container of pod.containers) {
    const state = states.find(({ name }) => name === container.name)
    if (container.role === 'sidecar' && state?.state === 'running' && !state.started && container.startupProbe) {
      return `the startup probe of ${container.name} does not succeed`
    }
    if (state?.reason === 'CrashLoopBackOff') return `${container.name} ends again and again (CrashLoopBackOff)`
    if (container.role === 'init' && state?.state === 'running')
      return `the init container ${container.name} still runs`
    if (container.postStart?.exec && state?.reason === 'ContainerCreating' && hasAddress(pod)) {
      return `the postStart command of ${container.name} may hang`
    }
  }
  return undefined
}

function hasAddress(pod: PodView): boolean {
  return textAt(pod.raw, 'status', 'podIP') !== undefined
}

function statesOf(pod: PodView): readonly ContainerState[] {
  return [...containerStates(pod.raw, 'initContainerStatuses'), ...containerStates(pod.raw, 'containerStatuses')]
}
