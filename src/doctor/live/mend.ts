// From a finding to the smallest step that mends it: one line of the table a rule. Rules that are not here need a person.
import type { ObjectFact } from '../facts.ts'
import { fieldsAt, listAt, numberAt, textAt, timeAt } from '../fields.ts'
import type { ObjectRef } from '../finding.ts'
import { type Cluster, controllerOf, finalizersOf, isTerminating, ownersOf, targetOf } from './cluster.ts'
import { scaleSetController } from './controller.ts'
import type { PlanOptions } from './plan-options.ts'
import { jobs } from './resources.ts'
import { isNodeGone, judgeBusy } from './signs.ts'
import { type Draft, type Evidence, type Guard, nothing, type Proposal, type Refusal } from './step.ts'

/** As a Finding has them. */
export type Found = { readonly rule: string; readonly object: ObjectRef }

type Mender = (work: Work) => Proposal
type Work = {
  readonly found: Found
  readonly fact: ObjectFact
  readonly cluster: Cluster
  readonly options: PlanOptions
}

const menders: Readonly<Record<string, Mender>> = {
  'zombie-runner-pod': endZombie,
  'stuck-terminating': endTerminating,
  'orphan-completed-pods': removeFinishedPod,
  'tracking-finalizer-stuck': freeFromTracking,
  'ephemeralrunner-failed-silently': removeFailedRunner,
  'slots-held-by-failed': removeFailedRunners,
  'runner-cr-without-pod': removeRunner,
  'runner-session-conflict': removeRunner,
}

export function mend(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  const mender = menders[found.rule]
  const fact = cluster.find(found.object)
  if (!mender) return guide({ found }, 'this is mended in its template or by hand: see the page of the rule')
  if (!fact) {
    const blind = cluster.blindFor(found.object.kind, found.object.namespace)
    return refuse({ found }, blind === undefined ? 'live' : 'unreadable', blind ?? 'it is no longer there')
  }
  return mender({ found, fact, cluster, options })
}

function endZombie(work: Work): Proposal {
  const { fact, cluster, options } = work
  if (isTerminating(fact)) return refuse(work, 'live', 'it is already being deleted')
  const ended = endOfRunner(cluster, fact)
  if (ended === undefined) return refuse(work, 'live', 'its runner container has not ended')
  if (cluster.live.at - ended < options.zombieGraceMs) return refuse(work, 'time', 'its runner has only just ended')
  const says = 'its runner container has ended, and what runs beside it keeps the pod alive'
  const owner = controllerOf(fact)
  if (owner === undefined || owner.kind === 'RunnerSet') return remove(work, fact, says)
  const isKnown = /^(batch\/\S+ Job|actions\.github\.com\/\S+ EphemeralRunner)$/.test(
    `${owner.apiVersion} ${owner.kind}`,
  )
  if (!isKnown) return guide(work, `its ${owner.kind} ${owner.name} would make it anew: mend the template first`)
  const blind = cluster.blindFor(owner.kind, fact.object.namespace)
  if (blind !== undefined) return refuse(work, 'unreadable', blind)
  const above = cluster.find({ kind: owner.kind, namespace: fact.object.namespace, name: owner.name })
  if (above?.object.uid !== owner.uid) return remove(work, fact, says)
  if (owner.kind === 'Job' && !wouldRetry(above)) return remove(work, fact, says)
  const isFree = owner.kind === 'EphemeralRunner' && !judgeBusy(cluster, above).busy
  if (isFree && !hasController(cluster)) return refuse(work, 'live', wouldHang)
  return remove(work, above, `${says}; the pod alone would be made anew`)
}

function endTerminating(work: Work): Proposal {
  const { fact, cluster } = work
  if (!isTerminating(fact)) return refuse(work, 'live', 'it is not being deleted')
  if (finalizersOf(fact).includes(tracking)) return freeFromTracking(work)
  if (finalizersOf(fact).length > 0)
    return guide(work, `whoever set ${finalizersOf(fact).join(', ')} must remove it: look for its controller`)
  const node = textAt(fact.raw, 'spec', 'nodeName')
  const blind = cluster.blindFor('Node', undefined)
  if (blind !== undefined) return refuse(work, 'unreadable', blind)
  if (fact.object.kind !== 'Pod' || node === undefined || !isNodeGone(cluster, node))
    return refuse(
      work,
      'time',
      'time alone proves nothing: its node is there and must confirm the end; look at the node',
    )
  const claims = listAt(fact.raw, 'spec', 'volumes').some(
    (volume) => fieldsAt(volume, 'persistentVolumeClaim') ?? fieldsAt(volume, 'ephemeral'),
  )
  if (claims) return guide(work, 'its volume may still be attached: make sure that the node is off first')
  const evidence: Evidence = { class: 'dead-hard', says: `its node ${node} is gone, so nobody can confirm its end` }
  return remove(work, fact, evidence, { gracePeriodSeconds: 0, guards: [{ is: 'node-gone', node }] })
}

function removeFinishedPod(work: Work): Proposal {
  const { fact } = work
  if (isTerminating(fact)) return refuse(work, 'live', 'it is already being deleted')
  const phase = textAt(fact.raw, 'status', 'phase')
  if (phase !== 'Succeeded' && phase !== 'Failed') return refuse(work, 'live', 'it has not finished')
  if (ownersOf(fact).length === 0) return remove(work, fact, 'it has finished, and nothing owns it')
  const lost = ownerIsLost(work)
  return 'guard' in lost
    ? remove(work, fact, { class: 'dead-hard', says: `it has finished, and its Job is gone` }, { guards: [lost.guard] })
    : lost.refusal
}

const tracking = 'batch.kubernetes.io/job-tracking'

function freeFromTracking(work: Work): Proposal {
  const { found, fact, cluster } = work
  const target = targetOf(fact)
  if (!target || !finalizersOf(fact).includes(tracking)) return refuse(work, 'live', `it has no finalizer ${tracking}`)
  if (!isTerminating(fact)) return refuse(work, 'live', 'it is not being deleted')
  const lost = ownerIsLost(work)
  if (!('guard' in lost)) return lost.refusal
  const verdict = judgeBusy(cluster, fact)
  if (verdict.busy) return refuse(work, 'live', `it may be busy: ${verdict.because}`)
  const draft: Draft = {
    rule: found.rule,
    action: { do: 'remove-finalizer', target, finalizer: tracking },
    evidence: { class: 'dead-hard', says: 'its Job is gone, so nobody will count it' },
    guards: [{ is: 'not-busy', target }, lost.guard],
    after: [],
  }
  return { ...nothing, drafts: [draft] }
}

function removeFailedRunner(work: Work): Proposal {
  if (textAt(work.fact.raw, 'status', 'phase') !== 'Failed') return refuse(work, 'live', 'it has not failed')
  return removeRunner(work)
}

function removeFailedRunners(work: Work): Proposal {
  const { found, fact, cluster, options } = work
  if (fact.object.kind === 'EphemeralRunner') return removeFailedRunner(work)
  const blind = cluster.blindFor('EphemeralRunner', fact.object.namespace)
  if (blind !== undefined) return refuse(work, 'unreadable', blind)
  const sets = fact.object.kind === 'EphemeralRunnerSet' ? [fact] : cluster.ownedBy(fact.object.uid ?? '')
  const failed = sets
    .flatMap((set) => cluster.ownedBy(set.object.uid ?? ''))
    .filter(({ object, raw }) => object.kind === 'EphemeralRunner' && textAt(raw, 'status', 'phase') === 'Failed')
  return join(failed.map((runner) => removeRunner({ found, fact: runner, cluster, options })))
}

/** ARC deregisters it and makes another in its place. */
function removeRunner(work: Work): Proposal {
  const { fact, cluster } = work
  const owner = fact.object.kind === 'Pod' ? controllerOf(fact) : undefined
  const runner = owner ? cluster.find({ kind: owner.kind, namespace: fact.object.namespace, name: owner.name }) : fact
  if (runner?.object.kind !== 'EphemeralRunner') return refuse(work, 'live', 'its EphemeralRunner was not found')
  if (isTerminating(runner)) return refuse(work, 'live', 'it is already being deleted')
  if (!hasController(cluster)) return refuse(work, 'live', wouldHang)
  return remove(
    work,
    runner,
    'no job runs on it, and it does not work as a runner; mend its template first, else the next one fails too',
  )
}

const wouldHang = "ARC's controller does not run, so the runner would hang in its deletion"

/** As far as is known. */
function hasController(cluster: Cluster): boolean {
  const { is } = scaleSetController(cluster)
  return is === 'alive' || is === 'unknown'
}

/** Deletes one object that cannot be busy, with all that it owns. */
function remove(
  work: Omit<Work, 'options'>,
  fact: ObjectFact,
  says: string | Evidence,
  more: { readonly gracePeriodSeconds?: 0; readonly guards?: readonly Guard[] } = {},
): Proposal {
  const target = targetOf(fact)
  if (!target) return refuse(work, 'unreadable', 'the object was seen without its uid or version')
  const verdict = judgeBusy(work.cluster, fact)
  if (verdict.busy) return refuse(work, 'live', `it may be busy: ${verdict.because}`)
  const draft: Draft = {
    rule: work.found.rule,
    action: { do: 'delete', target, gracePeriodSeconds: more.gracePeriodSeconds },
    evidence: typeof says === 'string' ? { class: 'live', says } : says,
    guards: [{ is: 'not-busy', target }, ...(more.guards ?? [])],
    after: [],
  }
  return { ...nothing, drafts: [draft] }
}

function ownerIsLost(work: Work): { readonly guard: Guard } | { readonly refusal: Proposal } {
  const { fact, cluster } = work
  const owner = controllerOf(fact)
  // Other systems have Jobs too (Volcano), which are not looked for.
  if (owner?.kind !== 'Job' || !owner.apiVersion.startsWith('batch/'))
    return { refusal: guide(work, 'it is not owned by a Job: look for its owner') }
  const { namespace } = fact.object
  const blind = cluster.blindFor('Job', namespace)
  if (blind !== undefined) return { refusal: refuse(work, 'unreadable', blind) }
  const job = cluster.find({ kind: 'Job', namespace, name: owner.name })
  if (job?.object.uid === owner.uid)
    return { refusal: guide(work, `its Job ${owner.name} is there and must let go of it`) }
  const resource = jobs
  return { guard: { is: 'absent', target: { resource, namespace, name: owner.name, uid: owner.uid } } }
}

/** Whether the Job would start another pod for one that is deleted (Kubernetes: a deleted pod counts as failed). */
function wouldRetry({ raw }: ObjectFact): boolean {
  return (numberAt(raw, 'status', 'failed') ?? 0) + 1 <= (numberAt(raw, 'spec', 'backoffLimit') ?? 6)
}

function endOfRunner(cluster: Cluster, { object, raw }: ObjectFact): number | undefined {
  const runner = cluster.podView(object.uid ?? '')?.runner
  const status = listAt(raw, 'status', 'containerStatuses').find((one) => textAt(one, 'name') === runner)
  return timeAt(status, 'state', 'terminated', 'finishedAt')
}

export function refuse({ found }: { readonly found: Found }, evidence: Refusal['evidence'], because: string): Proposal {
  return { ...nothing, refused: [{ rule: found.rule, object: found.object, evidence, because }] }
}

export function guide({ found }: { readonly found: Found }, advice: string): Proposal {
  return { ...nothing, guided: [{ rule: found.rule, object: found.object, advice }] }
}

export function join(proposals: readonly Proposal[]): Proposal {
  return {
    drafts: proposals.flatMap(({ drafts }) => drafts),
    refused: proposals.flatMap(({ refused }) => refused),
    guided: proposals.flatMap(({ guided }) => guided),
    stays: proposals.flatMap(({ stays }) => stays),
  }
}
