// Finds a regression of kubelet 1.35: after its own restart, it does not restart containers next to a sidecar with a startup probe.
// The rule looks for the symptom, so it reports nothing on patched kubelets.
import { textAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { LiveFacts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { PodView } from '../pod-view.ts'
import { containerStates } from '../pods/container-states.ts'
import { hitIn } from '../pods/pod-parts.ts'
import { kubeletVersions } from '../read/objects/by-kind.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'sidecar-startupprobe-1-35-regression',
  code: 'POD109',
  title: 'Kubelet 1.35 does not restart a container next to a sidecar with a startup probe',
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

/** Milliseconds: more than the longest back-off, which is five minutes. */
const minIdle = 600_000

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
    if (state.state !== 'terminated' || state.restartCount !== 0 || !shouldRestart || idle < minIdle) return []
    return [
      hitIn(pod, {
        path: ['status', 'containerStatuses'],
        container: state.name,
        message: `${state.name} ended ${durationText(idle)} ago, and the kubelet did not restart it as the pod's policy requires. After its own restart, kubelet 1.35 forgets containers next to a sidecar with a startup probe (${probed.name}). Delete the pod, and update the kubelets.`,
      }),
    ]
  })
}

function isOn135(pod: PodView, kubelets: ReadonlyMap<string, string>): boolean {
  return /^v?1\.35\./.test(kubelets.get(textAt(pod.raw, 'spec', 'nodeName') ?? '') ?? '')
}
