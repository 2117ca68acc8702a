// The objects of Actions Runner Controller (scale-set mode), as far as rules tell them apart (ARC 0.14).
import type { Facts, ObjectFact } from './facts.ts'
import { listAt, textAt, valueAt } from './fields.ts'
import { finalizersOf, objectsOf, ownerOf, uidOf } from './live-pod.ts'

const arcGroup = 'actions.github.com'

export type ArcKind = 'AutoscalingRunnerSet' | 'AutoscalingListener' | 'EphemeralRunnerSet' | 'EphemeralRunner'

export function arcObjects(facts: Facts, kind: ArcKind): readonly ObjectFact[] {
  return objectsOf(facts, kind).filter(({ object }) => object.apiVersion.startsWith(`${arcGroup}/`))
}

/** The finalizers that only ARC's controller takes away. */
export function arcFinalizers(fact: ObjectFact): readonly string[] {
  return finalizersOf(fact.raw).filter((name) => new RegExp(`(^|\\.)${arcGroup.replaceAll('.', '\\.')}/`).test(name))
}

/** The Deployments that run ARC's scale-set controller. */
export function arcControllers(facts: Facts): readonly ObjectFact[] {
  return objectsOf(facts, 'Deployment').filter(({ raw }) => {
    if (textAt(raw, 'metadata', 'labels', 'app.kubernetes.io/part-of') === 'gha-rs-controller') return true
    const containers = listAt(raw, 'spec', 'template', 'spec', 'containers')
    return containers.some((each) => /(^|\/)gha-runner-scale-set-controller([:@]|$)/.test(textAt(each, 'image') ?? ''))
  })
}

/** The runners that belong to a runner set, through its EphemeralRunnerSets. */
export function runnersOf(facts: Facts, set: ObjectFact): readonly ObjectFact[] {
  const uid = uidOf(set.raw)
  const sets = arcObjects(facts, 'EphemeralRunnerSet').filter(
    ({ raw }) => uid !== undefined && ownerOf(raw, 'AutoscalingRunnerSet')?.uid === uid,
  )
  const uids = new Set(sets.map(({ raw }) => uidOf(raw)))
  return arcObjects(facts, 'EphemeralRunner').filter(({ raw }) => {
    const owner = ownerOf(raw, 'EphemeralRunnerSet')
    return owner !== undefined && uids.has(owner.uid)
  })
}

/** A runner that has a job: its status names one. */
export function hasJob(runner: ObjectFact): boolean {
  return ['jobId', 'jobRequestId', 'jobDisplayName'].some((key) => {
    const value = valueAt(runner.raw, 'status', key)
    return value !== undefined && value !== '' && value !== 0
  })
}
