// Computes a pod's conditions (Kubernetes: pkg/kubelet/status/generate.go).
import type { Instant } from '../../lib/clock.ts'
import { timestamp } from '../../lib/timestamp.ts'
import type { Phase } from './phase.ts'
import type { Pod, PodCondition } from './pod.ts'
import { type ContainerRecord, hasBegun } from './record.ts'

/** The facts from which a pod's status and conditions are computed. */
export type PodFacts = {
  readonly records: readonly ContainerRecord[]
  readonly phase: Phase
  /** The time at which the kubelet accepted the pod. */
  readonly startTime: Instant
  /** Whether the volumes and the sandbox exist. */
  readonly hasSandbox: boolean
  /** The reason why the pod as a whole failed, for example `DeadlineExceeded`. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
}

type Verdict = { readonly status: 'True' | 'False'; readonly reason?: string; readonly message?: string }

/** Returns the conditions in the kubelet's order. Conditions of other controllers, such as PodScheduled, stay unchanged. */
export function conditionsOf(pod: Pod, facts: PodFacts, now: Instant): readonly PodCondition[] {
  const ready = readiness(facts)
  const verdicts: Readonly<Record<string, Verdict>> = {
    PodReadyToStartContainers: { status: facts.hasSandbox ? 'True' : 'False' },
    Initialized: initialisation(facts),
    Ready: ready,
    ContainersReady: ready,
  }
  const before = pod.status.conditions ?? []
  const own = Object.entries(verdicts).map(([type, verdict]) => {
    const known = before.find((condition) => condition.type === type)
    const since = known?.status === verdict.status ? known.lastTransitionTime : timestamp(now)
    return {
      type,
      observedGeneration: pod.metadata.generation,
      ...verdict,
      lastProbeTime: null,
      lastTransitionTime: since,
    }
  })
  return [...own, ...before.filter(({ type }) => !(type in verdicts))]
}

function initialisation({ records, phase }: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (hasBegun(records)) return { status: 'True' }
  const incomplete = records.filter(
    ({ role, state, started }) =>
      (role === 'sidecar' && !(state.is === 'running' && started)) ||
      (role === 'init' && !(state.is === 'terminated' && state.exitCode === 0)),
  )
  return verdict(incomplete, 'ContainersNotInitialized', 'incomplete')
}

function readiness({ records, phase }: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = records.filter(
    ({ role, state, started, ready }) => role !== 'init' && !(state.is === 'running' && started && ready),
  )
  return verdict(unready, 'ContainersNotReady', 'unready')
}

function verdict(missing: readonly ContainerRecord[], reason: string, word: string): Verdict {
  if (missing.length === 0) return { status: 'True' }
  const names = missing.map(({ spec }) => spec.name).join(' ')
  return { status: 'False', reason, message: `containers with ${word} status: [${names}]` }
}
