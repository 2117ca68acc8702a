// A regression of kubelet 1.35: after its restart, containers beside a sidecar with a startup probe are not started again. Told by its symptom, so that patched kubelets stay silent.

import { textAt } from '../../lib/read-json.ts'
import { durationText } from '../duration-text.ts'
import type { LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { kubeletVersions } from '../objects/by-kind.ts'
import type { PodView } from '../pod-view.ts'
import { containerStates } from '../pods/container-states.ts'
import { hitIn } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'sidecar-startupprobe-1-35-regression',
  code: 'POD109',
  title: 'Kubelet 1.35 does not start a crashed container again beside a sidecar with a startup probe',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Pod', 'Node'], (live) => {
      const kubelets = kubeletVersions(facts)
      return facts.pods
        .filter((pod) => pod.object.kind === 'Pod' && isOn135(pod, kubelets))
        .flatMap((pod) => check(pod, live))
    }),
}

/** Milliseconds: longer than the longest back-off of five minutes. */
const patience = 600_000

function check(pod: PodView, live: LiveFacts): readonly Hit[] {
  if (pod.restartPolicy === 'Never') return []
  const sidecars = containerStates(pod.raw, 'initContainerStatuses')
  const probed = pod.containers.find(
    ({ name, role, startupProbe }) =>
      role === 'sidecar' && startupProbe && sidecars.some((each) => each.name === name && each.state === 'running'),
  )
  if (!probed) return []
  return containerStates(pod.raw, 'containerStatuses').flatMap((state) => {
    const idle = live.at - (state.finishedAt ?? live.at)
    const shouldRestart = state.exitCode !== 0 || pod.restartPolicy !== 'OnFailure'
    if (state.state !== 'terminated' || state.restartCount !== 0 || !shouldRestart || idle < patience) return []
    return [
      hitIn(pod, {
        path: ['status', 'containerStatuses'],
        container: state.name,
        message: `${state.name} ended ${durationText(idle)} ago and was never started again, although the pod's policy says so: kubelet 1.35 forgets it after a restart of its own when a sidecar (${probed.name}) has a startup probe. Delete the pod, and update the kubelets.`,
      }),
    ]
  })
}

function isOn135(pod: PodView, kubelets: ReadonlyMap<string, string>): boolean {
  return /^v?1\.35\./.test(kubelets.get(textAt(pod.raw, 'spec', 'nodeName') ?? '') ?? '')
}
