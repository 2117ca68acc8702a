// Reads the signs of a busy runner from pods, Jobs and ARC's runners.
import { listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { isSameAccount } from '../arc/forge-url.ts'
import type { LiveFacts, ObjectFact } from '../facts.ts'
import type { PodView } from '../pod-view.ts'
import { type BusyVerdict, mayBeBusy, type RunnerSigns } from './busy.ts'
import type { Cluster } from './cluster.ts'
import { controllerOf } from './cluster.ts'

/** Judges whether deleting this object might end a job. The object is a pod, a Job with its pods, or an EphemeralRunner with its pod. */
export function judgeBusy(cluster: Cluster, fact: ObjectFact): BusyVerdict {
  if (fact.object.kind === 'Pod') return mayBeBusy(signsOfPod(cluster, fact))
  if (fact.object.kind === 'EphemeralRunner') return mayBeBusy(signsOfRunner(cluster, fact))
  const unread = cluster.unreadReason('Pod', fact.object.namespace)
  if (unread !== undefined) return { busy: true, because: `its pods could not be read (${unread})` }
  const pods = cluster.ownedBy(fact.object.uid ?? '').filter(({ object }) => object.kind === 'Pod')
  const verdicts = pods.map((pod) => ({ pod, ...mayBeBusy(signsOfPod(cluster, pod)) }))
  const busy = verdicts.find((verdict) => verdict.busy)
  if (busy) return { busy: true, because: `pod ${busy.pod.object.name}: ${busy.because}` }
  return { busy: false, because: pods.length === 0 ? 'it has no pod' : 'no runner container of its pods runs' }
}

function signsOfPod(cluster: Cluster, pod: ObjectFact): RunnerSigns {
  const controller = controllerOf(pod)
  const { namespace, name } = pod.object
  const isArc = controller?.kind === 'EphemeralRunner'
  // A pod and its EphemeralRunner have the same name. A job of either candidate counts, because an owner reference may be wrong or lost.
  const candidates = new Set(isArc ? [controller.name, name] : [name])
  const runners = [...candidates].flatMap(
    (one) => cluster.find({ kind: 'EphemeralRunner', namespace, name: one }) ?? [],
  )
  const [runner] = runners
  const arc = isArc || runner ? strongestJobSign(cluster, namespace, runners) : 'not-arc'
  const set = controller && cluster.find({ kind: 'RunnerSet', namespace, name: controller.name })
  const url = textAt(runner?.raw, 'spec', 'githubConfigUrl') ?? textAt(set?.raw, 'spec', 'github', 'url')
  const names = [...namesOf(pod, undefined), ...runners.flatMap((one) => textAt(one.raw, 'status', 'runnerName') ?? [])]
  return { container: containerOf(cluster, pod), arc, forge: forgeSign(cluster.live, names, url) }
}

/** Returns the signs of an EphemeralRunner and its pod. */
export function signsOfRunner(cluster: Cluster, runner: ObjectFact): RunnerSigns {
  const { namespace, name, uid } = runner.object
  const owned = cluster.ownedBy(uid ?? '').filter(({ object }) => object.kind === 'Pod')
  const named = cluster.find({ kind: 'Pod', namespace, name })
  const [pod, ...others] = new Set(named ? [...owned, named] : owned)
  const unread = cluster.unreadReason('Pod', namespace) !== undefined
  // If there are several pods, any one may work.
  const container = others.length > 0 || (!pod && unread) ? 'unknown' : pod ? containerOf(cluster, pod) : 'no-pod'
  return {
    container,
    arc: jobSign(cluster, namespace, runner),
    forge: forgeSign(cluster.live, namesOf(runner, runner), textAt(runner.raw, 'spec', 'githubConfigUrl')),
  }
}

function strongestJobSign(
  cluster: Cluster,
  namespace: string | undefined,
  runners: readonly ObjectFact[],
): RunnerSigns['arc'] {
  const signs = runners.map((runner) => jobSign(cluster, namespace, runner))
  return signs.find((sign) => sign === 'job') ?? signs[0] ?? jobSign(cluster, namespace, undefined)
}

function jobSign(cluster: Cluster, namespace: string | undefined, runner: ObjectFact | undefined): RunnerSigns['arc'] {
  if (!runner) return cluster.unreadReason('EphemeralRunner', namespace) === undefined ? 'no-job' : 'unknown'
  const signs = ['jobId', 'jobRequestId', 'jobDisplayName'].map((field) => valueAt(runner.raw, 'status', field))
  return signs.some((id) => id !== undefined && id !== '' && id !== 0) ? 'job' : 'no-job'
}

/** `url`: the account of the runner, if the cluster names it. The list of another account says nothing about this runner unless it contains it. */
function forgeSign(
  { forge, unreadable }: LiveFacts,
  names: readonly string[],
  url: string | undefined,
): RunnerSigns['forge'] {
  if (unreadable['Registration'] !== undefined) return 'unknown'
  if (!forge) return 'not-asked'
  const found = forge.registrations.filter(({ name }) => names.includes(name))
  if (found.length === 0) return url !== undefined && isSameAccount(url, forge.url) ? 'absent' : 'not-asked'
  if (found.some(({ busy }) => busy === true)) return 'busy'
  return found.some(({ busy }) => busy === 'unknown') ? 'unknown' : 'idle'
}

/** Returns the names under which a runner may be registered: its pod's name, ARC's name, Bitbucket's uuid. */
export function namesOf(fact: ObjectFact, runner: ObjectFact | undefined): readonly string[] {
  const registered = runner && textAt(runner.raw, 'status', 'runnerName')
  const job = controllerOf(fact)?.name
  const uuid = textAt(fact.raw, 'metadata', 'labels', 'runner_uuid')
  return [fact.object.name, registered, job, uuid, uuid && `{${uuid}}`].filter((name) => name !== undefined)
}

function containerOf(cluster: Cluster, pod: ObjectFact): RunnerSigns['container'] {
  const sign = stateOf(cluster.podView(pod.object.uid ?? ''), pod)
  if (sign !== 'running' && sign !== 'unknown') return sign
  const node = textAt(pod.raw, 'spec', 'nodeName')
  const isGone = node !== undefined && isNodeGone(cluster, node)
  return isGone ? 'lost' : sign
}

/** Whether a complete list of nodes does not contain the node. */
export function isNodeGone(cluster: Cluster, name: string): boolean {
  return (
    cluster.unreadReason('Node', undefined) === undefined && !cluster.find({ kind: 'Node', namespace: undefined, name })
  )
}

function stateOf(view: PodView | undefined, { raw }: ObjectFact): RunnerSigns['container'] {
  const phase = textAt(raw, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return 'ended'
  if (textAt(raw, 'spec', 'nodeName') === undefined) return 'not-started'
  const runner = view?.containers.find(({ name }) => name === view.runner)
  if (!view || !runner) return 'unknown'
  const status = listAt(raw, 'status', 'containerStatuses').find((one) => textAt(one, 'name') === runner.name)
  if (!status) return phase === 'Pending' && !runner.postStart ? 'not-started' : 'unknown'
  if (valueAt(status, 'state', 'running') !== undefined) return 'running'
  const exitCode = numberAt(status, 'state', 'terminated', 'exitCode')
  if (exitCode !== undefined) return startsAgain(view.restartPolicy, exitCode) ? 'unknown' : 'ended'
  // While a postStart hook runs, the kubelet still reports a working container as "waiting", because one worker serves the pod.
  const isFresh = numberAt(status, 'restartCount') === 0 && valueAt(status, 'lastState', 'terminated') === undefined
  return isFresh && !runner.postStart && valueAt(status, 'state', 'waiting') !== undefined ? 'not-started' : 'unknown'
}

function startsAgain(restartPolicy: string | undefined, exitCode: number): boolean {
  if (restartPolicy === 'Never') return false
  return restartPolicy !== 'OnFailure' || exitCode !== 0
}
