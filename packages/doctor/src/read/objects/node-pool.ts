// Reads Karpenter's NodePools: why Karpenter removes a node while a pod works on it, and which pods may get there.
import { fieldsAt, type JsonObject, listAt, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import { isUnknown } from '../template/template-value.ts'
import { labelsAt } from './labels.ts'

/** Milliseconds. GitHub ends a job after six hours by default, so a node that keeps still for longer loses few jobs. */
const calmMin = 6 * 3_600_000
/** Milliseconds. A node that lives longer than a week rarely expires under a job. Karpenter's default is 30 days. */
const lifeMin = 7 * 24 * 3_600_000

/**
 * Returns how Karpenter removes nodes of the pool that still run pods; undefined: only empty or very old ones.
 * The nouns end a sentence. Sources: https://karpenter.sh/docs/concepts/disruption/ and
 * https://karpenter.sh/v0.37/concepts/disruption/ for v1beta1, where `expireAfter` is in `spec.disruption`.
 */
export function removalOf(apiVersion: string, raw: JsonObject): string | undefined {
  const disruption = fieldsAt(raw, 'spec', 'disruption') ?? {}
  // A live pool is read by its metadata only: its policy is unknown, and removal is Karpenter's default.
  if (valueAt(raw, 'spec') === undefined) return 'to save cost'
  const isBeta = apiVersion.endsWith('/v1beta1')
  const policy = valueAt(disruption, 'consolidationPolicy')
  const after = textAt(disruption, 'consolidateAfter')
  const isComputed = [policy, after].some(isUnknown)
  const isFrozen = listAt(disruption, 'budgets').some((budget) => allowsNone(budget, 'Underutilized'))
  const consolidates = policy !== 'WhenEmpty' && !isComputed && !isFrozen && !isLonger(after, calmMin)
  if (consolidates)
    return `to save cost (consolidationPolicy ${isBeta ? 'WhenUnderutilized' : 'WhenEmptyOrUnderutilized'})`
  const life = isBeta ? textAt(disruption, 'expireAfter') : textAt(raw, 'spec', 'template', 'spec', 'expireAfter')
  // Budgets limit expiration in v1beta1 only: since v1 it is forceful, and the pod's annotation alone delays it.
  const mayExpire = !(isBeta && listAt(disruption, 'budgets').some((budget) => allowsNone(budget, undefined)))
  if (life === undefined || isUnknown(life) || isLonger(life, lifeMin) || !mayExpire) return undefined
  return `when it expires (expireAfter ${life})`
}

/** Whether the budget always forbids a disruption for this reason. A schedule forbids it at some times only. */
function allowsNone(budget: unknown, reason: string | undefined): boolean {
  const nodes = valueAt(budget, 'nodes')
  const reasons = textsAt(budget, 'reasons')
  const isCovered = reasons.length === 0 || (reason !== undefined && reasons.includes(reason))
  return (nodes === '0' || nodes === '0%' || nodes === 0) && valueAt(budget, 'schedule') === undefined && isCovered
}

/** `Never` is the longest duration. No duration at all is short: Karpenter then acts at once. */
function isLonger(text: string | undefined, ms: number): boolean {
  if (text === undefined) return false
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(h|ms|m|s)/g)]
  const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units], 0)
  return text === 'Never' || total > ms
}

/** One requirement on the labels of a node, by a pod or a pool. */
type Requirement = { readonly key: string; readonly operator: string; readonly values: readonly string[] }

/** Returns whether the scheduler may place a pod with this spec on a node of the pool. A computed part proves nothing, so it is no. */
export function mayReach(pool: { readonly name: string; readonly raw: JsonObject }, spec: unknown): boolean {
  if (valueAt(pool.raw, 'spec') === undefined) {
    // A live pool is read by its metadata only, so nothing but its name excludes a pod.
    const named = textAt(spec, 'nodeSelector', 'karpenter.sh/nodepool')
    return named === undefined || named === pool.name
  }
  const labels = { ...labelsAt(pool.raw, 'spec', 'template', 'metadata', 'labels'), 'karpenter.sh/nodepool': pool.name }
  const template = fieldsAt(pool.raw, 'spec', 'template', 'spec')
  const own = listAt(template, 'requirements').map(requirementOf)
  const fits = (wanted: Requirement) => isPossible(wanted, labels, own)
  const selector = Object.entries(labelsAt(spec, 'nodeSelector')).map(([key, value]) => {
    return { key, operator: 'In', values: [value] }
  })
  const terms = listAt(
    spec,
    ...['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'],
  ).map((term) => listAt(term, 'matchExpressions').map(requirementOf))
  const isComputed = isUnknown(valueAt(spec, 'nodeSelector')) || isUnknown(valueAt(spec, 'affinity'))
  const toleratesAll = listAt(template, 'taints').every((taint) => isTolerated(taint, listAt(spec, 'tolerations')))
  // The terms are alternatives; the requirements of one term hold together.
  return (
    !isComputed &&
    toleratesAll &&
    selector.every(fits) &&
    (terms.length === 0 || terms.some((term) => term.every(fits)))
  )
}

function requirementOf(raw: unknown): Requirement {
  return { key: textAt(raw, 'key') ?? '', operator: textAt(raw, 'operator') ?? '', values: textsAt(raw, 'values') }
}

/** Karpenter sets these labels on every node, with a value of its choice. Any other label must be in the pool. */
const chosen =
  /^(?:karpenter\.(?:sh|k8s\.aws|azure\.com)\/|(?:node|topology|failure-domain\.beta|beta)\.kubernetes\.io\/|kubernetes\.io\/(?:arch|os|hostname)$|topology\.k8s\.aws\/|eks\.amazonaws\.com\/(?:instance-|compute-type$))/

function isPossible(
  { key, operator, values }: Requirement,
  labels: Readonly<Record<string, string>>,
  own: readonly Requirement[],
): boolean {
  if (isUnknown(key) || values.some(isUnknown)) return false
  const fixed = Object.hasOwn(labels, key) ? labels[key] : undefined
  const limits = own.filter((each) => each.key === key)
  const isSet = fixed !== undefined || limits.some(({ operator: by }) => by !== 'DoesNotExist') || chosen.test(key)
  const allows = (value: string) =>
    isSet && (fixed === undefined || fixed === value) && limits.every((limit) => isWithin(limit, value))
  if (operator === 'In') return values.some(allows)
  if (operator === 'Exists') return isSet
  if (operator === 'DoesNotExist') return !isSet
  if (operator !== 'NotIn') return isSet
  const choices = fixed === undefined ? limits.find((limit) => limit.operator === 'In')?.values : [fixed]
  return !isSet || choices === undefined || choices.some((value) => allows(value) && !values.includes(value))
}

function isWithin({ operator, values }: Requirement, value: string): boolean {
  if (operator === 'In') return values.includes(value)
  if (operator === 'NotIn') return !values.includes(value)
  if (operator === 'Gt') return Number(value) > Number(values[0])
  return operator === 'Lt' ? Number(value) < Number(values[0]) : operator !== 'DoesNotExist'
}

function isTolerated(taint: unknown, tolerations: readonly unknown[]): boolean {
  const effect = valueAt(taint, 'effect')
  if (effect === 'PreferNoSchedule') return true
  return tolerations.some((toleration) => {
    const key = valueAt(toleration, 'key')
    const isAny = valueAt(toleration, 'operator') === 'Exists'
    const sameValue = isAny || (valueAt(toleration, 'value') ?? '') === (valueAt(taint, 'value') ?? '')
    const only = valueAt(toleration, 'effect')
    return (key === undefined ? isAny : key === valueAt(taint, 'key') && sameValue) && (!only || only === effect)
  })
}
