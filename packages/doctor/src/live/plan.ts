// Turns findings into a plan: pure, ordered, bounded. The same facts and findings give the same plan and digest.
import { hashValue } from '@dayfly/kit/hash'
import { type Cluster, type ClusterFacts, indexCluster } from './cluster.ts'
import { dropOrphan, orphanRule } from './orphan-registrations.ts'
import { describeAccess, missing, type Permissions, unrecorded } from './permissions.ts'
import type { PlanOptions } from './plan-options.ts'
import type { Proposal, Remainder } from './proposal.ts'
import { type Found, join } from './proposal.ts'
import { proposeRepair } from './propose-repair.ts'
import { type Action, type Draft, draftKey, type Step } from './step.ts'
import { unlockUninstall } from './uninstall.ts'

export type Plan = Pick<Proposal, 'refused' | 'guided' | 'stays'> & {
  readonly steps: readonly Step[]
  /** The steps that the credential does not allow. */
  readonly denied: readonly Denial[]
  /** Namespaces in which the credential may not create the Events that record the repair. */
  readonly unrecorded: readonly string[]
  /** The number of objects that the limits leave for the next run. */
  readonly deferred: number
  /** Why the whole plan must not be carried out. */
  readonly blocked: string | undefined
  /** The digest of all steps with their targets, versions, evidence and guards. An operator who confirms it confirms exactly these. */
  readonly digest: string
}

type Denial = Pick<Step, 'rule' | 'action'> & { readonly because: string }

/** Returns the steps without limits and permissions, as input for the permission check. */
export function draftRepair(facts: ClusterFacts, findings: readonly Found[], options: PlanOptions): readonly Draft[] {
  return proposeAll(indexCluster(facts), findings, options).drafts
}

export function planRepair(facts: ClusterFacts, findings: readonly Found[], options: PlanOptions): Plan {
  const cluster = indexCluster(facts)
  const proposal = proposeAll(cluster, findings, options)
  const { allowed, denied } = sift(proposal.drafts, options.permissions)
  const { kept, deferred } = limit(allowed, options)
  const steps = number(kept)
  return {
    steps,
    denied,
    unrecorded: [...new Set(steps.flatMap(({ action }) => unrecorded(action, options.permissions) ?? []))],
    refused: proposal.refused,
    guided: proposal.guided,
    stays: proposal.stays.filter((what) => !isRemoved(what, steps)),
    deferred,
    blocked: breaker(steps, cluster, options),
    digest: hashValue(steps.map(confirmable), 16),
  }
}

/** Leaves out the version of an object whose status alone may change. */
function confirmable(step: Step): object {
  const { action } = step
  if (action.do === 'deregister' || action.target.unmoved === undefined) return step
  const { resourceVersion: _, ...target } = action.target
  const guards = step.guards.map((guard) =>
    'target' in guard && guard.target.name === target.name ? { ...guard, target } : guard,
  )
  return { ...step, action: { ...action, target }, guards }
}

function proposeAll(cluster: Cluster, findings: readonly Found[], options: PlanOptions): Proposal {
  return join(onePerChain(findings).map((found) => propose(found, cluster, options)))
}

function propose(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  if (found.rule === uninstallRule) return unlockUninstall(found, cluster, options)
  if (found.rule === orphanRule) return dropOrphan(found, cluster)
  return proposeRepair(found, cluster, options)
}

const uninstallRule = 'uninstall-stuck'

function isRemoved({ what, id }: Remainder, steps: readonly Step[]): boolean {
  return (
    what === 'registration' && steps.some(({ action }) => action.do === 'deregister' && action.registration.id === id)
  )
}

/** Keeps one finding for all stuck uninstalls, because their chains are walked together. */
function onePerChain(findings: readonly Found[]): readonly Found[] {
  const first = findings.find(({ rule }) => rule === uninstallRule)
  return findings.filter((found) => found.rule !== uninstallRule || found === first)
}

/** Separates the denied steps, and with them every step that depends on one. */
function sift(drafts: readonly Draft[], permissions: Permissions) {
  const allowed: Draft[] = []
  const denied = new Map<string, Denial>()
  for (const draft of drafts) {
    const { rule, action } = draft
    const access = missing(draft, permissions)
    const before = draft.after.map((key) => denied.get(key)).find((one) => one !== undefined)
    if (!access && !before) allowed.push(draft)
    else
      denied.set(draftKey(action), {
        rule,
        action,
        because: access ? `you may not ${describeAccess(access)}` : `it depends on a step that is not allowed`,
      })
  }
  return { allowed, denied: [...denied.values()] }
}

/** Keeps whole objects in their order, each once. A step that depends on a dropped one is dropped too. */
function limit(drafts: readonly Draft[], options: PlanOptions) {
  const kept: Draft[] = []
  const keys = new Set<string>()
  const chosen = new Map<string, boolean>()
  const perNamespace = new Map<string, number>()
  let count = 0
  for (const draft of drafts) {
    const key = draftKey(draft.action)
    if (keys.has(key)) continue
    const { id, namespace } = placeOf(draft.action)
    const used = perNamespace.get(namespace) ?? 0
    const fits = chosen.get(id) ?? (count < options.objectsMax && used < options.objectsPerNamespaceMax)
    const take = fits && draft.after.every((before) => keys.has(before))
    if (take && !chosen.has(id)) {
      count++
      perNamespace.set(namespace, used + 1)
    }
    chosen.set(id, take)
    if (!take) continue
    keys.add(key)
    kept.push(draft)
  }
  return { kept, deferred: [...chosen.values()].filter((taken) => !taken).length }
}

function placeOf(action: Action): { readonly id: string; readonly namespace: string } {
  if (action.do === 'deregister') return { id: `registration ${action.registration.id}`, namespace: '' }
  return { id: action.target.uid, namespace: action.target.namespace ?? '' }
}

function number(drafts: readonly Draft[]): readonly Step[] {
  const ids = new Map(drafts.map(({ action }, index) => [draftKey(action), index + 1]))
  return drafts.map((draft, index) => ({
    ...draft,
    id: index + 1,
    after: draft.after.flatMap((key) => ids.get(key) ?? []),
  }))
}

/** Blocks a plan that deletes too many runners at once. A stuck uninstall does not count: another person began that deletion. */
function breaker(steps: readonly Step[], { objects, podView }: Cluster, options: PlanOptions): string | undefined {
  const isOfRunner = ({ action, rule }: Step) =>
    action.do === 'delete' && rule !== uninstallRule && action.target.resource.kind !== 'AutoscalingListener'
  const hit = steps.filter(isOfRunner).length
  const all = objects.filter(({ object }) => object.kind === 'Pod' && podView(object.uid ?? '')?.isRunner).length
  const runners = Math.max(all, objects.filter(({ object }) => object.kind === 'EphemeralRunner').length)
  if (hit <= Math.max(options.runnersAlways, runners * options.runnerShareMax)) return undefined
  return `${hit} of ${runners} runners would be deleted at once: that points to an outage, or to a defect of the doctor`
}
