// Reads a cluster into facts. Lists each kind in pages and keeps only the fields that rules read.
// A kind that could not be read is recorded with the reason; it never counts as empty.
import type { Clock } from '@dayfly/kit/clock'
import { textAt, textsAt } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Inquiry } from '@dayfly/kubernetes/inquiry'
import type { Kubernetes, ListOptions } from '@dayfly/kubernetes/kubernetes'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import type { LiveFacts, ObjectFact, Unread, VersionFact } from '../facts.ts'
import { viewPods } from '../pods/pod-views.ts'
import { supportedMinors, undeclaredVersion } from '../version-fact.ts'
import { type Asking, askRegistrations, askSets } from './ask-forge.ts'
import type { ClusterFacts } from './cluster.ts'
import { readLogs } from './read-logs.ts'
import { events, factOf, type LiveKind, listeners, liveKinds } from './resources.ts'
import { isSilence, type Lister, stopWhenDown } from './stop-when-down.ts'
import { newestEvents, trim } from './trim.ts'

export type GatherOptions = {
  readonly kubernetes: Kubernetes
  readonly inquiry: Pick<Inquiry, 'versionsOf' | 'mayI'>
  readonly clock: Clock
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined
  /** Default: the versions of the kubelets. */
  readonly version?: VersionFact | undefined
  /** An earlier state of the same cluster. */
  readonly earlier?: LiveFacts['earlier']
  /** The account at the forge, if credentials were given. */
  readonly account?: ForgeAccount | undefined
  /** Reads the logs of runners that may never get a job. Needs the right `get` on `pods/log`. */
  readonly logs?: PodLogs | undefined
  readonly signal?: AbortSignal | undefined
}

/** Rejects only with the signal's reason. Every other failure is recorded in `unreadable`. */
export async function gatherLive(given: GatherOptions): Promise<ClusterFacts> {
  const options = { ...given, kubernetes: stopWhenDown(given.kubernetes) }
  const at = options.clock.now()
  const unreadable: Record<string, Unread> = {}
  const { account, logs, signal } = options
  const asking: Asking = { account, unreadable, signal }
  const registrations = await askRegistrations(asking)
  const objects: ObjectFact[] = []
  for (const kind of liveKinds) objects.push(...(await readKind(options, kind, unreadable)))
  // A listener that fails at once may have no pod at this moment, but its Events are there.
  const hasPods = (kind: string) => kind === 'Pod' || kind === listeners.kind
  const inhabited = [
    ...new Set(objects.flatMap(({ object }) => (hasPods(object.kind) ? (object.namespace ?? []) : []))),
  ]
  objects.push(...(await readEvents(options, options.namespaces ?? inhabited.sort(), unreadable)))
  const sets = await askSets(asking, objects)
  const pods = viewPods(objects)
  return {
    version: options.version ?? versionOfNodes(objects),
    objects,
    pods,
    live: {
      at,
      unreadable,
      namespaces: options.namespaces,
      earlier: options.earlier,
      forge: account && registrations && { url: account.url, removal: account.removal, registrations, sets },
      logs: logs && (await readLogs({ objects, pods }, { logs, at, unreadable, signal })),
      podGcThreshold: thresholdOf(objects),
    },
  }
}

async function readKind(options: Reading, kind: LiveKind, unreadable: Record<string, Unread>): Promise<ObjectFact[]> {
  const found: ObjectFact[] = []
  for (const namespace of scopesOf(kind.resource, options.namespaces)) {
    if (kind.ifAllowed && !options.kubernetes.isDown() && !(await mayList(options, kind.resource, namespace))) {
      unreadable[kind.resource.kind] = { is: 'optional' }
      continue
    }
    const gap = await readList(options, listOf(kind, namespace), found)
    if (!gap) continue
    const served = isSilence(gap) ? undefined : await servedAs(options, kind)
    // A kind that is not served has no objects.
    if (served === 'not served') return []
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`
    if (typeof served === 'string') unreadable[kind.resource.kind] ??= { is: 'failed', why: served }
    else if (served !== undefined) return readKind(options, { ...kind, resource: served }, unreadable)
    else unreadable[kind.resource.kind] ??= { is: 'failed', why: `${reasonOf(gap)}${where}` }
  }
  return found
}

/** Returns true if the API server cannot answer: the list itself then shows it. */
async function mayList({ inquiry, signal }: Reading, resource: Resource, namespace: string | undefined) {
  try {
    return await inquiry.mayI({ verb: 'list', resource, namespace }, signal)
  } catch (error) {
    if (error instanceof KubernetesError) return true
    throw error
  }
}

function listOf({ resource, read, fieldSelector }: LiveKind, namespace: string | undefined): List {
  const keep = (object: KubeObject) => trim(object, read)
  return { resource, namespace, keep, fieldSelector, metadataOnly: read === 'metadata' }
}

/**
 * Finds out, after a list failed, whether the API server serves the kind in this version.
 * Undefined: it does, or it did not answer.
 */
async function servedAs(
  { inquiry, signal }: Reading,
  { resource, anyVersion }: LiveKind,
): Promise<'not served' | `served only as ${string}` | Resource | undefined> {
  if (resource.group === '') return undefined
  try {
    const versions = await inquiry.versionsOf(resource, signal)
    const [version] = versions
    if (version === undefined) return 'not served'
    if (versions.includes(resource.version)) return undefined
    return anyVersion ? { ...resource, version } : `served only as ${versions.join(', ')}`
  } catch (error) {
    if (error instanceof KubernetesError) return undefined
    throw error
  }
}

/** Lists the Events of each namespace, and keeps the newest few of each object. */
async function readEvents(
  options: Reading,
  namespaces: readonly string[],
  unreadable: Record<string, Unread>,
): Promise<ObjectFact[]> {
  const found: ObjectFact[] = []
  for (const namespace of namespaces) {
    const newest = newestEvents()
    const gap = await readList(options, { resource: events, namespace, keep: newest.keep, metadataOnly: false }, [])
    if (gap) unreadable[events.kind] ??= { is: 'failed', why: `${reasonOf(gap)} in namespace ${namespace}` }
    found.push(...newest.all().map((event) => factOf(events, event)))
  }
  return found
}

type Reading = Omit<GatherOptions, 'kubernetes'> & { readonly kubernetes: Lister }
type List = ListOptions & { readonly resource: Resource }

/** Adds the items of the list to `found`. Returns the error if the list failed. */
async function readList(
  { kubernetes, signal }: Reading,
  { resource, ...list }: List,
  found: ObjectFact[],
): Promise<KubernetesError | undefined> {
  try {
    const { items } = await kubernetes.list(resource, { ...list, signal })
    for (const item of items) found.push(factOf(resource, item))
    return undefined
  } catch (error) {
    if (error instanceof KubernetesError) return error
    throw error
  }
}

function reasonOf(error: KubernetesError): string {
  return error.kind === 'forbidden' ? 'not allowed to list it' : error.message
}

function scopesOf(resource: Resource, namespaces: readonly string[] | undefined): readonly (string | undefined)[] {
  return resource.namespaced && namespaces ? namespaces : [undefined]
}

/** Takes the versions of the kubelets, because pods run there. The API server may have another version. */
function versionOfNodes(objects: readonly ObjectFact[]): VersionFact {
  const found = objects.flatMap(({ object, raw }) => {
    const version = object.kind === 'Node' ? textAt(raw, 'status', 'nodeInfo', 'kubeletVersion') : undefined
    const minor = /^v1\.(\d+)/.exec(version ?? '')?.[1]
    return minor === undefined ? [] : [Number(minor)]
  })
  const minors = [...new Set(found)].filter((minor) => supportedMinors.some((one) => one === minor)).sort()
  return minors.length > 0 ? { minors, declared: true, from: "the nodes' kubelets" } : undeclaredVersion
}

/** The default of kube-controller-manager's `--terminated-pod-gc-threshold`. */
const thresholdDefault = 12_500

/** Reads the flag of the controller manager, if its pod is visible. */
function thresholdOf(objects: readonly ObjectFact[]): LiveFacts['podGcThreshold'] {
  for (const { object, raw } of objects) {
    if (object.kind !== 'Pod' || !object.name.startsWith('kube-controller-manager')) continue
    const words = textsAt(raw, 'spec', 'containers', 0, 'command')
    const flag = words.flatMap((word) => /^--terminated-pod-gc-threshold=(\d+)$/.exec(word)?.[1] ?? [])[0]
    if (flag !== undefined) return { value: Number(flag), assumed: false }
  }
  return { value: thresholdDefault, assumed: true }
}
