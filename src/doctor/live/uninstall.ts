// Repairs an uninstall of ARC that hangs because its controller is gone. Walks from the runners to the root, and removes one finalizer at a time.
// The finalizers and their order are those of ARC 0.14.2.

import { textAt } from '../../lib/read-json.ts'
import { isSameAccount } from '../arc/forge-url.ts'
import type { ObjectFact } from '../facts.ts'
import { type Cluster, finalizersOf, isTerminating, ownersOf, targetOf } from './cluster.ts'
import { scaleSetController } from './controller.ts'
import type { PlanOptions } from './plan-options.ts'
import { type Found, guide, join, nothing, type Proposal, refuse } from './proposal.ts'
import { registrationOf, remainsOf } from './remains.ts'
import { protectedResources } from './resources.ts'
import { judgeBusy } from './signs.ts'
import { type Action, type Draft, draftKey, type Guard, type Target } from './step.ts'

/** The finalizers of each kind, in the order in which ARC removes them. */
const finalizers: Readonly<Record<string, readonly string[]>> = {
  EphemeralRunner: [
    'ephemeralrunner.actions.github.com/runner-registration-finalizer',
    'ephemeralrunner.actions.github.com/finalizer',
  ],
  AutoscalingListener: ['autoscalinglistener.actions.github.com/finalizer'],
  EphemeralRunnerSet: ['ephemeralrunnerset.actions.github.com/finalizer'],
  AutoscalingRunnerSet: ['autoscalingrunnerset.actions.github.com/finalizer'],
}
const protection = 'actions.github.com/cleanup-protection'
const secretAnnotation = 'actions.github.com/cleanup-github-secret-name'

/** Children before parents. Each object waits until those before it are gone. */
const kindsInOrder = [
  'EphemeralRunner',
  'AutoscalingListener',
  'EphemeralRunnerSet',
  ...protectedResources.map(({ kind }) => kind),
  'AutoscalingRunnerSet',
]

export function unlockUninstall(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  const controller = scaleSetController(cluster)
  if (controller.is === 'alive')
    return refuse({ found }, `ARC's controller exists and must do this itself: ${controller.because}`)
  if (controller.is === 'unknown')
    return refuse({ found }, `it is not known whether ARC's controller exists (${controller.because})`)
  if (!options.restoreDeclined)
    return guide({ found }, restoreAdvice(controller.is === 'scaled-to-zero' ? controller.deployment : undefined))
  const members = membersOf(cluster)
  const proof = `ARC's controller, which should do this, is gone: ${controller.because}`
  const steps: Chain = { found, cluster, options, members, proof, blocked: new Map(), last: new Map() }
  const freeing = join(
    kindsInOrder.flatMap((kind) =>
      members.filter(({ object }) => object.kind === kind).map((fact) => free(steps, fact)),
    ),
  )
  const freed = members.filter(({ object }) => !steps.blocked.has(object.uid ?? ''))
  return { ...freeing, stays: remainsOf(cluster, freed) }
}

type Chain = {
  readonly found: Found
  readonly cluster: Cluster
  readonly options: PlanOptions
  readonly members: readonly ObjectFact[]
  readonly proof: string
  /** The objects that cannot be freed, by uid, with the reason. Their owners cannot be freed either. */
  readonly blocked: Map<string, string>
  /** The last step on each object, by uid. */
  readonly last: Map<string, string>
}

function free(chain: Chain, fact: ObjectFact): Proposal {
  const { cluster, found } = chain
  const finding = { found: { rule: found.rule, object: fact.object } }
  const target = targetOf(fact)
  if (!target) return refuse(finding, 'the cluster returned the object without a uid or version')
  const block = (because: string) => {
    chain.blocked.set(target.uid, because)
    return refuse(finding, because)
  }
  const unread = unreadDependency(chain, fact)
  if (unread !== undefined) return block(unread)
  const below = belowOf(chain, fact)
  const held = below.find(({ object }) => chain.blocked.has(object.uid ?? ''))
  if (held) return block(`${held.object.kind} ${held.object.name} must be deleted first`)
  if (fact.object.kind === 'EphemeralRunner') {
    const verdict = judgeBusy(cluster, fact)
    if (verdict.busy) return block(`it may be busy: ${verdict.because}`)
  }
  const living = livingSet(chain, fact)
  if (living !== undefined) return block(`the runner set ${living} still exists and needs it`)
  const drafts = draftsFor(chain, fact, target, below)
  const last = drafts.at(-1)
  if (last) chain.last.set(target.uid, draftKey(last.action))
  return { ...nothing, drafts }
}

function draftsFor(chain: Chain, fact: ObjectFact, target: Target, below: readonly ObjectFact[]): readonly Draft[] {
  const guards: Guard[] = [
    { is: 'controller-gone' },
    ...(fact.object.kind === 'EphemeralRunner' ? [{ is: 'not-busy', target } as const] : []),
    ...below.flatMap((child): Guard[] => {
      const gone = targetOf(child)
      return gone ? [{ is: 'absent', target: gone }] : []
    }),
  ]
  const actions: readonly Action[] = [
    ...(isTerminating(fact) ? [] : [{ do: 'delete', target, gracePeriodSeconds: undefined } as const]),
    ...deregistration(chain, fact),
    ...(finalizers[fact.object.kind] ?? [protection])
      .filter((finalizer) => finalizersOf(fact).includes(finalizer))
      .map((finalizer) => ({ do: 'remove-finalizer', target, finalizer }) as const),
  ]
  let before = below.flatMap((child) => chain.last.get(child.object.uid ?? '') ?? [])
  return actions.map((action) => {
    const draft: Draft = {
      rule: chain.found.rule,
      action,
      evidence: { class: 'dead-hard', says: chain.proof },
      guards,
      after: before,
    }
    before = [draftKey(action)]
    return draft
  })
}

/** Returns the terminating objects, and the objects below them, which only the controller would have deleted. */
function membersOf(cluster: Cluster): readonly ObjectFact[] {
  const found = new Map<string, ObjectFact>()
  const visit = (fact: ObjectFact) => {
    const uid = fact.object.uid ?? ''
    if (found.has(uid)) return
    found.set(uid, fact)
    for (const child of childrenOf(cluster, fact)) visit(child)
  }
  for (const fact of cluster.objects) {
    const own = finalizers[fact.object.kind] ?? [protection]
    if (
      kindsInOrder.includes(fact.object.kind) &&
      isTerminating(fact) &&
      own.some((one) => finalizersOf(fact).includes(one))
    )
      visit(fact)
  }
  return [...found.values()]
}

function childrenOf(cluster: Cluster, fact: ObjectFact): readonly ObjectFact[] {
  const owned = cluster.ownedBy(fact.object.uid ?? '').filter(({ object }) => finalizers[object.kind] !== undefined)
  if (fact.object.kind !== 'AutoscalingRunnerSet') return owned
  const listeners = cluster.objects.filter(
    ({ object, raw }) =>
      object.kind === 'AutoscalingListener' &&
      textAt(raw, 'spec', 'autoscalingRunnerSetName') === fact.object.name &&
      textAt(raw, 'spec', 'autoscalingRunnerSetNamespace') === fact.object.namespace,
  )
  return [...new Set([...owned, ...listeners])]
}

/** Returns the objects that must be gone first: children; for a protected resource, all others of the set; for the set, the protected ones too. */
function belowOf(chain: Chain, fact: ObjectFact): readonly ObjectFact[] {
  const { kind } = fact.object
  if (kind === 'EphemeralRunner' || kind === 'AutoscalingListener') return []
  if (kind === 'EphemeralRunnerSet') return childrenOf(chain.cluster, fact)
  const rank = kindsInOrder.indexOf(kind)
  const isSet = kind === 'AutoscalingRunnerSet'
  return chain.members.filter((other) => {
    if (kindsInOrder.indexOf(other.object.kind) >= rank) return false
    if (!isSet && finalizers[other.object.kind] === undefined) return false
    return isOfSet(chain.cluster, other, isSet ? nameOf(fact) : setNameOf(fact))
  })
}

/** Also true if the set of either object is unknown: the order then applies to all. */
function isOfSet(cluster: Cluster, fact: ObjectFact, set: string | undefined): boolean {
  const own =
    setNameOf(fact) ??
    ownersOf(fact)
      .map(({ uid }) => setAbove(cluster, uid))
      .find((name) => name !== undefined)
  return own === undefined || set === undefined || own === set
}

function setAbove(cluster: Cluster, uid: string): string | undefined {
  const owner = cluster.byUid(uid)
  if (!owner) return undefined
  if (owner.object.kind === 'AutoscalingRunnerSet') return nameOf(owner)
  return ownersOf(owner)
    .map((above) => setAbove(cluster, above.uid))
    .find((name) => name !== undefined)
}

function setNameOf({ object, raw }: ObjectFact): string | undefined {
  if (object.kind === 'AutoscalingListener')
    return `${textAt(raw, 'spec', 'autoscalingRunnerSetNamespace')}/${textAt(raw, 'spec', 'autoscalingRunnerSetName')}`
  const name = textAt(raw, 'metadata', 'labels', 'actions.github.com/scale-set-name')
  const namespace = textAt(raw, 'metadata', 'labels', 'actions.github.com/scale-set-namespace') ?? object.namespace
  return name === undefined ? undefined : `${namespace}/${name}`
}

function nameOf({ object }: ObjectFact): string {
  return `${object.namespace}/${object.name}`
}

/** A protected resource is freed only if its set no longer exists. */
function livingSet({ cluster, members }: Chain, fact: ObjectFact): string | undefined {
  if (finalizers[fact.object.kind] !== undefined) return undefined
  const own = setNameOf(fact)
  const sets = cluster.objects.filter(
    ({ object }) =>
      object.kind === 'AutoscalingRunnerSet' && (own === undefined ? object.namespace === fact.object.namespace : true),
  )
  const living = sets.find((set) => !members.includes(set) && (own === undefined || nameOf(set) === own))
  return living && nameOf(living)
}

/** Returns why a kind of child or user could not be read. Such an object might still exist. */
function unreadDependency({ cluster }: Chain, fact: ObjectFact): string | undefined {
  const { kind, namespace } = fact.object
  if (kind === 'EphemeralRunner' || kind === 'AutoscalingListener') return cluster.unreadReason('Pod', namespace)
  if (kind === 'EphemeralRunnerSet') return cluster.unreadReason('EphemeralRunner', namespace)
  const below = ['EphemeralRunner', 'EphemeralRunnerSet'].map((one) => cluster.unreadReason(one, namespace))
  const others = [
    cluster.unreadReason('AutoscalingListener', undefined),
    kind === 'AutoscalingRunnerSet' ? undefined : cluster.unreadReason('AutoscalingRunnerSet', namespace),
    ...(kind === 'AutoscalingRunnerSet' ? unreadProtected(cluster, fact) : []),
  ]
  return [...below, ...others].find((reason) => reason !== undefined)
}

/** The set's annotations name the protected resources. Without the set, an unread Secret could not be found again. */
function unreadProtected(cluster: Cluster, fact: ObjectFact): readonly (string | undefined)[] {
  const namesSecret = textAt(fact.raw, 'metadata', 'annotations', secretAnnotation) !== undefined
  return protectedResources.map(({ kind }) =>
    kind !== 'Secret' || namesSecret ? cluster.unreadReason(kind, fact.object.namespace) : undefined,
  )
}

function deregistration(chain: Chain, fact: ObjectFact): readonly Action[] {
  const registration = registrationOf(fact)
  return registration && canDeregister(chain, fact) ? [{ do: 'deregister', registration }] : []
}

/** Only for the runner's own account: ids are numbers, and another account may use the same ones. */
function canDeregister({ cluster }: Chain, { raw }: ObjectFact): boolean {
  const { forge } = cluster.live
  const url = textAt(raw, 'spec', 'githubConfigUrl')
  return forge?.removal === 'refuses-busy' && url !== undefined && isSameAccount(url, forge.url)
}

function restoreAdvice(deployment: ObjectFact | undefined): string {
  return deployment
    ? `bring ARC's controller back and let it finish: kubectl -n ${deployment.object.namespace} scale deployment ${deployment.object.name} --replicas=1`
    : "bring ARC's controller back at the version that made these objects (helm install of gha-runner-scale-set-controller) and let it finish; only if that is impossible, use --remove-finalizers, which removes the finalizers one by one"
}
