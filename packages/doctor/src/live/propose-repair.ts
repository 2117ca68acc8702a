// Proposes the smallest repair for a finding. The table has one function for each rule; any other rule needs a person.
import { fieldsAt, listAt, numberAt, textAt, timeAt } from '@dayfly/kit/read-json'
import { strayListeners } from '../arc/listeners.ts'
import type { ObjectFact } from '../facts.ts'
import { type Cluster, controllerOf, finalizersOf, isTerminating, ownersOf, targetOf } from './cluster.ts'
import { scaleSetController } from './controller.ts'
import { judgeLastPod } from './last-pod.ts'
import type { PlanOptions } from './plan-options.ts'
import { podOwner } from './pod-owner.ts'
import { type Found, guide, join, nothing, type Proposal, refuse } from './proposal.ts'
import { ephemeralRunnerSets, jobs } from './resources.ts'
import { isNodeGone, judgeBusy } from './signs.ts'
import type { Draft, Evidence, Guard } from './step.ts'

type Work = {
  readonly found: Found
  readonly fact: ObjectFact
  readonly cluster: Cluster
  readonly options: PlanOptions
}

const repairs: Readonly<Record<string, (work: Work) => Proposal>> = {
  'zombie-runner-pod': endZombie,
  'stuck-terminating': endTerminating,
  'orphan-completed-pods': removeFinishedPod,
  'tracking-finalizer-stuck': freeFromTracking,
  'ephemeralrunner-failed-silently': removeFailedRunner,
  'slots-held-by-failed': removeFailedRunners,
  'runner-cr-without-pod': removeRunner,
  'runner-session-conflict': removeRunner,
  'listener-of-gone-set': replaceListener,
}

export function proposeRepair(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  const propose = repairs[found.rule]
  const fact = cluster.find(found.object)
  if (!propose) return guide({ found }, 'change its template, or repair it by hand: see the page of the rule')
  if (!fact)
    return refuse({ found }, cluster.unreadReason(found.object.kind, found.object.namespace) ?? 'it no longer exists')
  return propose({ found, fact, cluster, options })
}

function endZombie(work: Work): Proposal {
  const { fact, cluster, options } = work
  if (isTerminating(fact)) return refuse(work, 'it is already being deleted')
  const ended = endOfRunner(cluster, fact)
  if (ended === undefined) return refuse(work, 'its runner container has not ended')
  if (cluster.live.at - ended < options.zombieGraceMs) return refuse(work, 'its runner has only just ended')
  const says = 'its runner container has ended, and its other containers keep the pod alive'
  const owner = podOwner(cluster, fact)
  switch (owner.is) {
    case 'none':
    case 'gone':
      return remove(work, fact, says)
    case 'unreadable':
    case 'unconfirmed':
      return refuse(work, owner.because)
    case 'other': {
      const { kind, name } = owner.reference
      if (kind === 'RunnerSet') return remove(work, fact, says)
      return guide(work, `its ${kind} ${name} would create it again: fix the template first`)
    }
    case 'confirmed':
      return endOwnedZombie(work, owner.owner, says)
  }
}

/** A Job without retries and a runner's controller act differently on a deleted pod, so the owner decides what is deleted. */
function endOwnedZombie(work: Work, owner: ObjectFact, says: string): Proposal {
  const { cluster } = work
  if (owner.object.kind === 'Job' && !wouldRetry(owner)) return endLastPod(work, owner, says)
  const isIdleRunner = owner.object.kind === 'EphemeralRunner' && !judgeBusy(cluster, owner).busy
  const hang = isIdleRunner ? reasonToHang(cluster) : undefined
  if (hang !== undefined) return refuse(work, hang)
  return remove(work, owner, `${says}; its owner would create a deleted pod again`)
}

/** Deletes the last pod of a Job. The plan names what the Job controller makes of it. */
function endLastPod(work: Work, job: ObjectFact, says: string): Proposal {
  const judged = judgeLastPod(work.cluster, work.fact, job)
  if (!judged) return remove(work, work.fact, says)
  const removal = remove(work, work.fact, `${says}; ${judged.says}`)
  return removal.drafts.length === 0 ? removal : join([removal, guide(work, judged.advice)])
}

function endTerminating(work: Work): Proposal {
  const { fact, cluster } = work
  if (!isTerminating(fact)) return refuse(work, 'it is not being deleted')
  if (finalizersOf(fact).includes(tracking)) return freeFromTracking(work)
  if (finalizersOf(fact).length > 0) {
    const names = finalizersOf(fact).join(', ')
    return guide(work, `only the controller that set ${names} may remove it: look for that controller`)
  }
  const node = textAt(fact.raw, 'spec', 'nodeName')
  const unread = cluster.unreadReason('Node', undefined)
  if (unread !== undefined) return refuse(work, unread)
  if (fact.object.kind !== 'Pod' || node === undefined || !isNodeGone(cluster, node))
    return refuse(
      work,
      'time alone proves nothing: its node still exists and must confirm that the pod ended; look at the node',
    )
  const claims = listAt(fact.raw, 'spec', 'volumes').some(
    (volume) => fieldsAt(volume, 'persistentVolumeClaim') ?? fieldsAt(volume, 'ephemeral'),
  )
  if (claims) return guide(work, 'its volume may still be attached: make sure that the node is off first')
  const says = `its node ${node} is gone, so nothing can confirm that the pod ended`
  const evidence: Evidence = { class: 'dead-hard', says }
  return remove(work, fact, evidence, { gracePeriodSeconds: 0, guards: [{ is: 'node-gone', node }] })
}

function removeFinishedPod(work: Work): Proposal {
  const { fact } = work
  if (isTerminating(fact)) return refuse(work, 'it is already being deleted')
  const phase = textAt(fact.raw, 'status', 'phase')
  if (phase !== 'Succeeded' && phase !== 'Failed') return refuse(work, 'it has not finished')
  if (ownersOf(fact).length === 0) return remove(work, fact, 'it has finished, and it has no owner')
  const lost = proveJobLost(work)
  return 'guard' in lost
    ? remove(work, fact, { class: 'dead-hard', says: `it has finished, and its Job is gone` }, { guards: [lost.guard] })
    : lost.refusal
}

const tracking = 'batch.kubernetes.io/job-tracking'

function freeFromTracking(work: Work): Proposal {
  const { found, fact, cluster } = work
  const target = targetOf(fact)
  if (!target || !finalizersOf(fact).includes(tracking)) return refuse(work, `it has no finalizer ${tracking}`)
  if (!isTerminating(fact)) return refuse(work, 'it is not being deleted')
  const lost = proveJobLost(work)
  if (!('guard' in lost)) return lost.refusal
  const verdict = judgeBusy(cluster, fact)
  if (verdict.busy) return refuse(work, `it may be busy: ${verdict.because}`)
  const draft: Draft = {
    rule: found.rule,
    action: { do: 'remove-finalizer', target, finalizer: tracking },
    evidence: { class: 'dead-hard', says: 'its Job is gone, so no controller will count the pod' },
    guards: [{ is: 'not-busy', target }, lost.guard],
    after: [],
  }
  return { ...nothing, drafts: [draft] }
}

function removeFailedRunner(work: Work): Proposal {
  if (textAt(work.fact.raw, 'status', 'phase') !== 'Failed') return refuse(work, 'it has not failed')
  return removeRunner(work)
}

function removeFailedRunners(work: Work): Proposal {
  const { found, fact, cluster, options } = work
  if (fact.object.kind === 'EphemeralRunner') return removeFailedRunner(work)
  const unread = cluster.unreadReason('EphemeralRunner', fact.object.namespace)
  if (unread !== undefined) return refuse(work, unread)
  const sets = fact.object.kind === 'EphemeralRunnerSet' ? [fact] : cluster.ownedBy(fact.object.uid ?? '')
  const failed = sets
    .flatMap((set) => cluster.ownedBy(set.object.uid ?? ''))
    .filter(({ object, raw }) => object.kind === 'EphemeralRunner' && textAt(raw, 'status', 'phase') === 'Failed')
  return join(failed.map((runner) => removeRunner({ found, fact: runner, cluster, options })))
}

/** Deletes an EphemeralRunner, or that of a pod. ARC deregisters it and creates another in its place. */
function removeRunner(work: Work): Proposal {
  const { fact, cluster } = work
  const owner = fact.object.kind === 'Pod' ? podOwner(cluster, fact) : undefined
  if (owner?.is === 'unconfirmed' || owner?.is === 'unreadable') return refuse(work, owner.because)
  const runner = owner ? (owner.is === 'confirmed' ? owner.owner : undefined) : fact
  if (runner?.object.kind !== 'EphemeralRunner') return refuse(work, 'its EphemeralRunner was not found')
  if (isTerminating(runner)) return refuse(work, 'it is already being deleted')
  const hang = reasonToHang(cluster)
  if (hang !== undefined) return refuse(work, hang)
  const says = 'it runs no job and does not work as a runner; fix its template first, or the next runner fails too'
  return remove(work, runner, says)
}

/** Deletes a listener whose EphemeralRunnerSet does not exist. ARC creates it again, with the name of the present set. No runner ends. */
function replaceListener(work: Work): Proposal {
  const { found, fact, cluster } = work
  const target = targetOf(fact)
  const stray = strayListeners({ objects: cluster.objects, live: cluster.live }, cluster.live.at).find(
    ({ listener }) => listener === fact,
  )
  if (!target || !stray) return refuse(work, 'its EphemeralRunnerSet exists, or it is already being deleted')
  const { namespace, name } = stray.gone
  const unread = cluster.unreadReason(ephemeralRunnerSets.kind, namespace)
  if (unread !== undefined) return refuse(work, unread)
  const hang = reasonToHang(cluster)
  if (hang !== undefined) return refuse(work, hang)
  const draft: Draft = {
    rule: found.rule,
    action: { do: 'delete', target, gracePeriodSeconds: undefined },
    evidence: { class: 'live', says: `its EphemeralRunnerSet ${namespace}/${name} does not exist` },
    guards: [{ is: 'unnamed', target: { resource: ephemeralRunnerSets, namespace, name } }],
    after: [],
  }
  return { ...nothing, drafts: [draft] }
}

/** Only ARC's controller removes the finalizers of its objects. Returns why a deletion may hang; undefined if the controller is in sight. */
function reasonToHang(cluster: Cluster): string | undefined {
  const { is, because } = scaleSetController(cluster)
  if (is === 'alive') return undefined
  return is === 'unknown'
    ? `it is not known whether ARC's controller runs (${because}); without it, the deletion would hang`
    : "ARC's controller does not run, so the deletion of the runner would hang"
}

/** Deletes one object that cannot be busy, with all objects that it owns. */
function remove(
  work: Omit<Work, 'options'>,
  fact: ObjectFact,
  says: string | Evidence,
  more: { readonly gracePeriodSeconds?: 0; readonly guards?: readonly Guard[] } = {},
): Proposal {
  const target = targetOf(fact)
  if (!target) return refuse(work, 'the cluster returned the object without a uid or version')
  const verdict = judgeBusy(work.cluster, fact)
  if (verdict.busy) return refuse(work, `it may be busy: ${verdict.because}`)
  const draft: Draft = {
    rule: work.found.rule,
    action: { do: 'delete', target, gracePeriodSeconds: more.gracePeriodSeconds },
    evidence: typeof says === 'string' ? { class: 'live', says } : says,
    guards: [{ is: 'not-busy', target }, ...(more.guards ?? [])],
    after: [],
  }
  return { ...nothing, drafts: [draft] }
}

/** Proves that the Job of a pod is gone, or says why not. */
function proveJobLost(work: Work): { readonly guard: Guard } | { readonly refusal: Proposal } {
  const { fact, cluster } = work
  const reference = controllerOf(fact)
  // Other systems have Jobs too (Volcano), which the doctor does not read.
  if (reference?.kind !== 'Job' || !reference.apiVersion.startsWith('batch/'))
    return { refusal: guide(work, 'no Job owns it: look for its owner') }
  const { namespace } = fact.object
  const { name, uid } = reference
  const owner = podOwner(cluster, fact)
  if (owner.is === 'unreadable') return { refusal: refuse(work, owner.because) }
  if (owner.is !== 'gone')
    return { refusal: guide(work, `its Job ${name} still exists, and its controller must release it`) }
  return { guard: { is: 'absent', target: { resource: jobs, namespace, name, uid } } }
}

/** Whether the Job would start another pod for a deleted one. The Job controller counts a deleted pod as failed. */
function wouldRetry({ raw }: ObjectFact): boolean {
  return (numberAt(raw, 'status', 'failed') ?? 0) + 1 <= (numberAt(raw, 'spec', 'backoffLimit') ?? 6)
}

function endOfRunner(cluster: Cluster, { object, raw }: ObjectFact): number | undefined {
  const runner = cluster.podView(object.uid ?? '')?.runner
  const status = listAt(raw, 'status', 'containerStatuses').find((one) => textAt(one, 'name') === runner)
  return timeAt(status, 'state', 'terminated', 'finishedAt')
}
