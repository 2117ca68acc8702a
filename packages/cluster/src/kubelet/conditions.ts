// Computes a pod's conditions (Kubernetes: pkg/kubelet/status/generate.go).
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Phase } from './phase.ts'
import type { Pod, PodCondition } from './pod.ts'
import { type ContainerRecord, hasBegun } from './record.ts'

/** The facts from which a pod's status and conditions are computed. */
export type PodFacts = {
  readonly records: readonly ContainerRecord[]
  readonly phase: Phase
  /** The phase that the containers alone show. A pod that ends before its containers have run keeps the conditions of a waiting pod. */
  readonly computed: Phase
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
    Ready: ready.status === 'True' ? gateVerdict(pod) : ready,
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

function initialisation({ records, computed: phase }: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  if (hasBegun(records)) return { status: 'True' }
  const incomplete = records.filter(
    ({ role, state, started }) =>
      (role === 'sidecar' && !(state.is === 'running' && started)) ||
      (role === 'init' && !(state.is === 'terminated' && state.exitCode === 0)),
  )
  return verdict(incomplete, 'ContainersNotInitialized', 'incomplete')
}

function readiness({ records, computed: phase }: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  const unready = records.filter(
    ({ role, state, started, ready }) => role !== 'init' && !(state.is === 'running' && started && ready),
  )
  return verdict(unready, 'ContainersNotReady', 'unready')
}

/** Whether other clients have set the conditions that the pod names as its readiness gates. */
function gateVerdict({ spec, status }: Pod): Verdict {
  const faults = (spec.readinessGates ?? []).flatMap(({ conditionType: gate }) => {
    const known = status.conditions?.find(({ type }) => type === gate)
    if (known?.status === 'True') return []
    if (known) return [`the status of pod readiness gate "${gate}" is not "True", but ${known.status}`]
    return [`corresponding condition of pod readiness gate "${gate}" does not exist.`]
  })
  if (faults.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: faults.join(', ') }
}

function verdict(missing: readonly ContainerRecord[], reason: string, word: string): Verdict {
  if (missing.length === 0) return { status: 'True' }
  const names = missing.map(({ spec }) => spec.name).join(' ')
  return { status: 'False', reason, message: `containers with ${word} status: [${names}]` }
}
