// Finds runners on autoscaled nodes whose pods have no annotation against eviction.

import type { Path } from '../../lib/read-json.ts'
import { fieldsAt } from '../../lib/read-json.ts'
import type { Facts } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import { objectsOf } from '../objects/by-kind.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, podMetadataPath, writtenPods } from '../pods/pod-parts.ts'
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

type Protection = { readonly by: string; readonly annotation: string; readonly value: string }

const karpenter: Protection = { by: 'Karpenter', annotation: 'karpenter.sh/do-not-disrupt', value: 'true' }
const autoscaler: Protection = {
  by: 'Cluster Autoscaler',
  annotation: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
  value: 'false',
}

function check(facts: Facts): RuleResult {
  const everywhere = clusterWide(facts)
  const runners = writtenPods(facts).filter((pod) => pod.isRunner && isWhole(pod))
  const seen = runners.flatMap((pod) => {
    const protection = selectsKarpenter(pod) ? karpenter : everywhere
    return protection ? [{ pod, protection }] : []
  })
  if (runners.length > 0 && seen.length === 0) return { skipped: 'the input shows no node autoscaler' }
  return { hits: seen.flatMap(({ pod, protection }) => missing(pod, protection)) }
}

function clusterWide(facts: Facts): Protection | undefined {
  const kinds = ['NodePool', 'NodeClaim'].flatMap((kind) => objectsOf(facts, kind))
  if (kinds.some(({ object }) => object.apiVersion.startsWith('karpenter.sh/'))) return karpenter
  const isAutoscaler = facts.pods.some((pod) =>
    pod.containers.some(({ image }) => /\/cluster-autoscaler[:@]/.test(image ?? '')),
  )
  return isAutoscaler ? autoscaler : undefined
}

function selectsKarpenter(pod: PodView): boolean {
  const selector = fieldsAt(pod.raw, ...pod.path, 'nodeSelector') ?? {}
  return Object.keys(selector).some((label) => label.startsWith('karpenter.sh/'))
}

function missing(pod: PodView, { by, annotation, value }: Protection): readonly Hit[] {
  if (pod.annotations[annotation] === value || pod.annotations['karpenter.sh/do-not-evict'] === 'true') return []
  return [
    hitIn(pod, {
      path: pod.path,
      message: `${by} may evict this runner in the middle of its job to remove a node, because its pod does not have the annotation ${annotation}: "${value}".`,
      fix: annotate(pod, annotation, value),
      absent: [[...podMetadataPath(pod), 'annotations', annotation]],
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
