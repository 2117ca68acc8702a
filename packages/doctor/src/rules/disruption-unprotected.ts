// Finds runners on autoscaled nodes whose pods have no annotation against eviction.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, podMetadataPath, writtenPods } from '../pods/pod-parts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { mayReach, removalOf } from '../read/objects/node-pool.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'disruption-unprotected',
  code: 'POD116',
  title: 'A node autoscaler may evict the runner in the middle of its job',
  severity: 'warning',
  confidence: 'medium',
  modes: ['static', 'live'],
  fix: 'unsafe',
  isCrossObject: true,
  check,
}

/** `why`: the reason why the autoscaler removes a node under a pod. It follows "may evict". `isNew`: the autoscaler reads no older annotation. */
type Danger = {
  readonly by: string
  readonly annotation: string
  readonly value: string
  readonly why: string
  readonly isNew?: boolean
}

const karpenter = { by: 'Karpenter', annotation: 'karpenter.sh/do-not-disrupt', value: 'true' }
/** Karpenter 1.0 reads it no more (https://karpenter.sh/v1.0/upgrading/v1-migration/). */
const olderKey = 'karpenter.sh/do-not-evict'
const autoscaler: Danger = {
  by: 'Cluster Autoscaler',
  annotation: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
  value: 'false',
  why: 'to remove a node with little load',
}

function check(facts: Facts): RuleResult {
  const pools = karpenterObjects(facts, 'NodePool')
  const isAnyPool = pools.length === 0 && karpenterObjects(facts, 'NodeClaim').length > 0
  const flags = autoscalerFlags(facts)
  const runners = writtenPods(facts).filter((pod) => pod.isRunner && isWhole(pod))
  const isSeen = pools.length > 0 || isAnyPool || flags !== undefined
  const isShown = runners.some((pod) => selectsKarpenter(pod) || inviting(pod))
  if (runners.length > 0 && !isSeen && !isShown) return { skipped: 'the input shows no node autoscaler' }
  const isNew = pools.some(({ object }) => object.apiVersion === 'karpenter.sh/v1')
  const dangerTo = (pod: PodView): Danger | undefined => {
    const why = removalUnder(pod, pools) ?? (isAnyPool ? unseenPool : undefined)
    if (why !== undefined) return { ...karpenter, why, isNew }
    return inviting(pod) ?? (flags && isDrained(pod, flags) ? autoscaler : undefined)
  }
  return {
    hits: runners.flatMap((pod) => {
      const danger = dangerTo(pod)
      return danger ? missing(pod, danger) : []
    }),
  }
}

/** Returns the autoscaler that the pod's own annotation lets evict it. Nobody writes such an annotation without that autoscaler. */
function inviting({ annotations }: PodView): Danger | undefined {
  // It lifts the exceptions of the Cluster Autoscaler, also for pods that it would leave alone.
  if (annotations[autoscaler.annotation] === 'true') return autoscaler
  return annotations[karpenter.annotation] === 'false' ? { ...karpenter, why: unseenPool } : undefined
}

function karpenterObjects(facts: Facts, kind: string): readonly ObjectFact[] {
  return objectsOf(facts, kind).filter(({ object }) => object.apiVersion.startsWith('karpenter.sh/'))
}

/** Karpenter's default for a pool that is not in the input. */
const unseenPool = 'to save cost'

/** Returns why Karpenter removes a node that the pod may be on. */
function removalUnder(pod: PodView, pools: readonly ObjectFact[]): string | undefined {
  const spec = fieldsAt(pod.raw, ...pod.path)
  const reached = pools.filter(({ object, raw }) => mayReach({ name: object.name, raw }, spec))
  if (reached.length === 0) return selectsKarpenter(pod) && !isNamed(pod, pools) ? unseenPool : undefined
  return reached.map(({ object, raw }) => removalOf(object.apiVersion, raw)).find((why) => why !== undefined)
}

/** Whether the pod selects a pool of the input by its name. */
function isNamed(pod: PodView, pools: readonly ObjectFact[]): boolean {
  const name = textAt(pod.raw, ...pod.path, 'nodeSelector', 'karpenter.sh/nodepool')
  return pools.some(({ object }) => object.name === name)
}

function selectsKarpenter(pod: PodView): boolean {
  const selector = fieldsAt(pod.raw, ...pod.path, 'nodeSelector') ?? {}
  return Object.keys(selector).some((label) => label.startsWith('karpenter.sh/'))
}

/** Returns the flags of the Cluster Autoscaler, if one is in the input. */
function autoscalerFlags(facts: Facts): readonly string[] | undefined {
  const containers = facts.pods.flatMap((pod) => pod.containers)
  return containers.find(({ image }) => /\/cluster-autoscaler[:@]/.test(image ?? ''))?.words
}

/**
 * Returns whether the Cluster Autoscaler drains a node with this pod. By default it leaves nodes alone whose pods have no controller, a
 * custom one (ARC's and Dayfly's runners), or local storage.
 */
function isDrained(pod: PodView, flags: readonly string[]): boolean {
  const isOff = (flag: string) => flags.includes(`--${flag}=false`)
  const hasStorage = pod.volumes.some(({ raw }) => 'emptyDir' in raw || 'hostPath' in raw)
  if (hasStorage && !isOff('skip-nodes-with-local-storage')) return false
  const isCustom = pod.owner === 'Pod' || pod.owner === 'arc' || pod.owner === 'RunnerSet'
  return !isCustom || isOff('skip-nodes-with-custom-controller-pods')
}

function missing(pod: PodView, { by, annotation, value, why, isNew = false }: Danger): readonly Hit[] {
  const written = pod.annotations[annotation]
  const hasOlder = pod.annotations[olderKey] === 'true' && by === karpenter.by
  // Newer versions of Karpenter also accept a duration. Dayfly gives its runners both annotations, unless the template says otherwise.
  const isProtected =
    written === value ||
    (by === karpenter.by && /^\d/.test(written ?? '')) ||
    (written === undefined && pod.owner === 'RunnerSet')
  if (isProtected || (hasOlder && !isNew && written === undefined)) return []
  const because = hasOlder
    ? `it has ${olderKey}, which Karpenter reads no more since 1.0, and not ${annotation}: "${value}"`
    : written === undefined
      ? `its pod does not have the annotation ${annotation}: "${value}"`
      : `its annotation ${annotation} is "${written}" and allows that`
  const placement = ['nodeSelector', 'affinity'].filter((key) => valueAt(pod.raw, ...pod.path, key) === undefined)
  return [
    hitIn(pod, {
      path: pod.path,
      message: `${by} may evict this runner in the middle of its job ${why}, because ${because}.`,
      fix: annotate(pod, annotation, value),
      // A template may also place the pod elsewhere.
      absent: [[...podMetadataPath(pod), 'annotations', annotation], ...placement.map((key) => [...pod.path, key])],
    }),
  ]
}

function annotate(pod: PodView, annotation: string, value: string): Fix {
  const metadata = podMetadataPath(pod)
  const hasMetadata = fieldsAt(pod.raw, ...metadata) !== undefined
  const hasAnnotations = fieldsAt(pod.raw, ...metadata, 'annotations') !== undefined
  const [path, content]: [Path, unknown] = hasAnnotations
    ? [[...metadata, 'annotations', annotation], value]
    : hasMetadata
      ? [[...metadata, 'annotations'], { [annotation]: value }]
      : [metadata, { annotations: { [annotation]: value } }]
  return {
    safety: 'unsafe',
    title: `Protect the pod from eviction: ${annotation}`,
    edits: [{ do: 'set', path, value: content }],
  }
}
