// The objects that real releases of ARC left, loaded into a running embedded cluster, with GitHub's answer of that moment.
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { openPodStage } from '@dayfly/cluster/pod-stage.fixture'
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { RegistrationFact } from '@dayfly/doctor/facts'
import { accountOf } from '@dayfly/doctor/live/account.fixture'
import { arcKinds, definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'

type Recorded = { readonly objects: readonly StoredObject[]; readonly runners: readonly RecordedRunner[] }
type RecordedRunner = Pick<RegistrationFact, 'name'> & {
  readonly id: number
  readonly status: 'online' | 'offline'
  readonly busy: boolean
}

const folder = new URL('./arc-objects/', import.meta.url)

/** The releases, oldest first; the development branch is the last. */
export const releases: readonly string[] = readdirSync(folder)
  .flatMap((name) => /^(.+)\.json\.gz$/.exec(name)?.[1] ?? [])
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))

export function recordedStates(release: string): Readonly<Record<string, Recorded>> {
  return JSON.parse(gunzipSync(readFileSync(new URL(`${release}.json.gz`, folder))).toString('utf8'))
}

export type ArcStageOptions = {
  /** Milliseconds that pass before the API server receives each of the doctor's requests. */
  readonly latency?: () => number
  /** Wraps the doctor's requests. */
  readonly between?: (pass: Transport) => Transport
}

/** Loads the objects in their order. Pods run on the cluster's node, and what was being deleted is being deleted again. */
export async function openArcStage(release: string, state: string, options: ArcStageOptions = {}) {
  const recorded = recordedStates(release)[state]
  if (!recorded) throw new Error(`no state ${state} of ${release}`)
  const stage = openPodStage({ scripts, cluster: { node: { name: 'node-1' } } })
  const { registry, cluster, clock } = stage
  for (const [kind, resource] of Object.entries(arcKinds)) {
    registry.create('customresourcedefinitions.apiextensions.k8s.io', definitionOf(kind, resource))
  }
  await clock.advance(1_000)
  const uids = new Map<string, string>()
  for (const object of inLoadingOrder(recorded.objects)) {
    const made = registry.create(resourceOf(object), copyOf(object, uids))
    uids.set(object.metadata.uid, made.metadata.uid)
  }
  await clock.advance(5_000)
  // Namespaces come last: their collector deletes everything in them.
  for (const object of [...recorded.objects].sort((one, other) => isNamespace(one) - isNamespace(other))) {
    const { namespace, name, deletionTimestamp } = object.metadata
    if (deletionTimestamp !== undefined) registry.delete(resourceOf(object), namespace, name)
  }
  // ARC's controller would have acted by now, and every rule reports.
  await clock.advance(20 * 60_000)
  const { latency = () => 0, between = (pass) => pass } = options
  const doctorClock: Clock = { ...clock, sleep: async (ms) => clock.advance(ms) }
  const direct = cluster.transport('doctor')
  const transport = between(async (request) => {
    const ms = latency()
    if (ms > 0) await clock.advance(ms)
    return direct(request)
  })
  /** Ends the runner of this pod as its job's end does. */
  const endRunner = (pod: string) => stage.runtime.stop({ pod, name: 'runner', attempt: 0 }, 1_000)
  return { ...stage, clock, doctorClock, transport, endRunner, ...githubOf(recorded) }
}

/** A runner exits with 0, and the init container of Docker ends at once. Any other container runs until it is stopped. */
const scripts = {
  runner: { onTerm: { afterMs: 0, exitCode: 0 } },
  'init-dind-externals': { endsAfterMs: 100 },
}

function githubOf({ objects, runners }: Recorded) {
  const registrations: RegistrationFact[] = runners.map(({ id, name, status, busy }) => {
    return { id: String(id), name, status, busy, set: undefined, createdAt: 0 }
  })
  const root = objects.find(({ kind }) => kind === 'AutoscalingRunnerSet')
  const spec = root?.['spec'] as { readonly githubConfigUrl: string }
  const name = root?.metadata.name ?? ''
  const account: ForgeAccount = {
    ...accountOf(registrations),
    url: spec.githubConfigUrl,
    set: async (id) => (id === '1' ? { id, name } : undefined),
  }
  return { registrations, account, setName: name }
}

/** Pods and Deployments come last, because they need ServiceAccounts. The Deployment's own controller makes the pod of ARC's controller again. */
function inLoadingOrder(objects: readonly StoredObject[]): readonly StoredObject[] {
  const isMadeAgain = ({ kind, metadata }: StoredObject) =>
    kind === 'Pod' && metadata.ownerReferences?.some((owner) => owner.kind === 'ReplicaSet')
  const last = ({ kind }: StoredObject) => kind === 'Pod' || kind === 'Deployment'
  const loaded = objects.filter((object) => !isMadeAgain(object))
  return [...loaded.filter((object) => !last(object)), ...loaded.filter(last)]
}

function isNamespace({ kind }: StoredObject): number {
  return kind === 'Namespace' ? 1 : 0
}

function copyOf(object: StoredObject, uids: ReadonlyMap<string, string>): StoredObject {
  const {
    resourceVersion: _version,
    deletionTimestamp: _time,
    deletionGracePeriodSeconds: _grace,
    ...metadata
  } = object.metadata as StoredObject['metadata'] & { deletionGracePeriodSeconds?: number }
  const ownerReferences = metadata.ownerReferences?.map((owner) => ({
    ...owner,
    uid: uids.get(owner.uid) ?? owner.uid,
  }))
  const status = object.kind === 'Pod' || object.kind === 'Namespace' ? { status: {} } : {}
  return {
    ...object,
    metadata: { ...metadata, ...(ownerReferences ? { ownerReferences } : {}) },
    ...status,
  } as StoredObject
}

const plurals: Readonly<Record<string, string>> = {
  ...arcKinds,
  Namespace: 'namespaces',
  Deployment: 'deployments.apps',
  Pod: 'pods',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
  Role: 'roles.rbac.authorization.k8s.io',
  RoleBinding: 'rolebindings.rbac.authorization.k8s.io',
}

/** Returns the cluster's name of the kind. */
export function resourceOf({ kind }: Pick<StoredObject, 'kind'>): string {
  const resource = plurals[kind]
  if (resource === undefined) throw new Error(`no kind ${kind}`)
  return resource
}
