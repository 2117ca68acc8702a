// Finds live pods whose work has ended while a helper keeps them Running.
import { textAt, valueAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { PodView } from '../pod-view.ts'
import { type ContainerState, containerStates } from '../pods/container-states.ts'
import { daemonOf } from '../pods/daemon.ts'
import { longLivedHelper } from '../pods/long-lived.ts'
import { hitIn, ordinaryContainers } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'zombie-runner-pod',
  code: 'LIV301',
  title: 'The work of the pod has ended, but a helper keeps it running',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts: Facts) =>
    withLive(facts, ['Pod'], (live) =>
      facts.pods.filter((pod) => pod.object.kind === 'Pod' && pod.runsToCompletion).flatMap((pod) => check(pod, live)),
    ),
}

/** Milliseconds after the pod's own grace period. */
const extraWait = 60_000

function check(pod: PodView, live: LiveFacts): readonly Hit[] {
  if (textAt(pod.raw, 'status', 'phase') !== 'Running') return []
  if (valueAt(pod.raw, 'metadata', 'deletionTimestamp') !== undefined) return []
  const states = new Map(containerStates(pod.raw, 'containerStatuses').map((state) => [state.name, state]))
  const { workers, helpers } = rolesOf(pod)
  const ended = workers.map((name) => states.get(name))
  const running = helpers.filter((name) => states.get(name)?.state === 'running')
  if (workers.length === 0 || running.length === 0 || !ended.every((state) => hasEnded(state, pod))) return []
  const since = Math.max(...ended.map((state) => state?.finishedAt ?? Number.POSITIVE_INFINITY))
  const idle = live.at - since
  if (!(idle > (pod.terminationGracePeriodSeconds ?? 30) * 1000 + extraWait)) return []
  const codes = ended.map((state) => `${state?.name} (exit code ${state?.exitCode ?? 'unknown'})`).join(', ')
  return [
    hitIn(pod, {
      path: ['status', 'phase'],
      container: running[0],
      message: `${codes} ended ${durationText(idle)} ago, but ${running.join(', ')} still runs, so the pod never ends by itself. Delete the pod, and make ${running.join(', ')} a native sidecar in the template.`,
    }),
  ]
}

/** Returns whether a container has ended. With OnFailure, the kubelet restarts it after any exit code except 0. */
function hasEnded(state: ContainerState | undefined, pod: PodView): boolean {
  if (state?.state !== 'terminated') return false
  const own = pod.containers.find(({ name }) => name === state.name)?.restartPolicy
  const policy = own ?? pod.restartPolicy
  return policy === 'Never' || (policy === 'OnFailure' && state.exitCode === 0)
}

/** Splits the containers. A container that is not a known helper counts as work: it may still upload results. */
function rolesOf(pod: PodView): { readonly workers: readonly string[]; readonly helpers: readonly string[] } {
  const ordinary = ordinaryContainers(pod)
  const helpers = ordinary.filter((each) => (daemonOf(each, pod) ?? longLivedHelper(each, pod)) !== undefined)
  const workers = ordinary.filter((each) => !helpers.includes(each))
  return { workers: workers.map(({ name }) => name), helpers: helpers.map(({ name }) => name) }
}
