// Recognizes the objects of Actions Runner Controller in its scale-set mode (ARC 0.14).
import type { Instant } from '@dayfly/kit/clock'
import type { JsonObject } from '@dayfly/kit/read-json'
import { fieldsAt, listAt, numberAt, textAt, textsAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { finalizersOf, ownerOf, uidOf } from '../read/objects/metadata.ts'

const arcGroup = 'actions.github.com'

type ArcKind = 'AutoscalingRunnerSet' | 'AutoscalingListener' | 'EphemeralRunnerSet' | 'EphemeralRunner'

export function arcObjects(facts: Pick<Facts, 'objects'>, kind: ArcKind): readonly ObjectFact[] {
  return objectsOf(facts, kind).filter(({ object }) => object.apiVersion.startsWith(`${arcGroup}/`))
}

/** Returns the finalizers that only ARC's controller removes. */
export function arcFinalizers(fact: ObjectFact): readonly string[] {
  return finalizersOf(fact.raw).filter((name) => new RegExp(`(^|\\.)${arcGroup.replaceAll('.', '\\.')}/`).test(name))
}

/** Returns the Deployments of ARC's scale-set controller. */
export function arcControllers(facts: Pick<Facts, 'objects'>): readonly ObjectFact[] {
  return facts.objects.filter(({ object, raw }) => object.kind === 'Deployment' && isArcController(object.kind, raw))
}

/** Whether it is a Deployment or pod of ARC's scale-set controller: by the chart's label, the controller's flag, or its image. */
export function isArcController(kind: string, raw: JsonObject): boolean {
  if (kind !== 'Deployment' && kind !== 'Pod') return false
  const template = kind === 'Pod' ? raw : (fieldsAt(raw, 'spec', 'template') ?? {})
  if (isListener(template)) return false
  const labels = [fieldsAt(raw, 'metadata', 'labels'), fieldsAt(template, 'metadata', 'labels')]
  if (labels.some((one) => textAt(one, partOf) === 'gha-rs-controller')) return true
  return listAt(template, 'spec', 'containers').some(
    (each) =>
      wordsOf(each).includes('--auto-scaling-runner-set-only') ||
      /gha-runner-scale-set-controller[^/]*$/.test(textAt(each, 'image') ?? ''),
  )
}

const partOf = 'app.kubernetes.io/part-of'
const component = 'app.kubernetes.io/component'

/** Whether it is a listener. ARC runs listeners from the controller's own image. */
function isListener(pod: JsonObject): boolean {
  if (textAt(pod, 'metadata', 'labels', component) === 'runner-scale-set-listener') return true
  if (ownerOf(pod, 'AutoscalingListener') !== undefined) return true
  return listAt(pod, 'spec', 'containers').some((each) => wordsOf(each).some((word) => /(^|\/)ghalistener$/.test(word)))
}

function wordsOf(container: unknown): readonly string[] {
  return [...textsAt(container, 'command'), ...textsAt(container, 'args')]
}

export type LeaderLease = {
  readonly fact: ObjectFact
  /** The name of the pod that leads, or led last. */
  readonly holder: string
  readonly renewed: Instant
  /** Judged by the reader's clock. A stale lease alone proves nothing; a fresh lease proves a living controller. */
  readonly isStale: boolean
}

/** Returns the leases with which replicas of ARC's controller elect a leader. They exist only if `replicaCount` is above 1. */
export function leaderLeases({ objects }: Pick<Facts, 'objects'>, at: Instant): readonly LeaderLease[] {
  const chosen = new Set(
    objects
      .filter(({ object, raw }) => isArcController(object.kind, raw))
      .flatMap(({ object, raw }) => electionIds(object.kind, raw).map((id) => `${object.namespace}/${id}`)),
  )
  return objects.flatMap((fact) => {
    const { kind, namespace, name } = fact.object
    if (kind !== 'Lease' || !(chosen.has(`${namespace}/${name}`) || /gha-(rs|runner-scale-set)-controller/.test(name)))
      return []
    const renewed = timeAt(fact.raw, 'spec', 'renewTime')
    const holder = (textAt(fact.raw, 'spec', 'holderIdentity') ?? '').replace(/_.*$/s, '')
    if (renewed === undefined || holder === '') return []
    const seconds = numberAt(fact.raw, 'spec', 'leaseDurationSeconds') ?? 15
    return { fact, holder, renewed, isStale: at - renewed > Math.max(leaseMsMin, 4_000 * seconds) }
  })
}

/** Milliseconds. Clocks differ, and an API server may be slow. */
const leaseMsMin = 300_000

function electionIds(kind: string, raw: JsonObject): readonly string[] {
  const containers = listAt(raw, ...(kind === 'Deployment' ? ['spec', 'template'] : []), 'spec', 'containers')
  return containers.flatMap((each) =>
    wordsOf(each).flatMap((word) => /^--leader-election-id=(.+)$/.exec(word)?.[1] ?? []),
  )
}

/** Returns the runners of a runner set, through its EphemeralRunnerSets. */
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

/** Whether the status of the runner names a job. */
export function hasJob(runner: ObjectFact): boolean {
  return ['jobId', 'jobRequestId', 'jobDisplayName'].some((key) => {
    const value = valueAt(runner.raw, 'status', key)
    return value !== undefined && value !== '' && value !== 0
  })
}
