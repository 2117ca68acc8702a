// Reads a cluster into facts: each kind in pages, of which only what rules read is kept. What could not be read is said, and never taken for empty.

import { KubernetesError } from '../../kubernetes/errors.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import type { KubeObject, Resource } from '../../kubernetes/types.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Facts, LiveFacts, ObjectFact, VersionFact } from '../facts.ts'
import { textAt, textsAt } from '../fields.ts'
import { supportedMinors, undeclaredVersion } from '../gather-facts.ts'
import { viewPods } from '../pod-views.ts'
import { customResources, definitions, events, factOf, type LiveKind, liveKinds, surroundings } from './resources.ts'
import { newestEvents, trim } from './trim.ts'

export type GatherOptions = {
  readonly kubernetes: Kubernetes
  readonly clock: Clock
  /** All, unless given. */
  readonly namespaces?: readonly string[] | undefined
  /** The kubelets' versions, unless given. */
  readonly version?: VersionFact | undefined
  /** An earlier look at the same cluster. */
  readonly earlier?: LiveFacts['earlier']
  readonly registrations?: LiveFacts['registrations']
  /** What the controller manager's own flag says, or Kubernetes' default, unless given. */
  readonly podGcThreshold?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Rejects only with the signal's reason: everything else that fails stands in `unreadable`. */
export async function gatherLive(options: GatherOptions): Promise<Facts> {
  const at = options.clock.now()
  const unreadable: Record<string, string> = {}
  const objects: ObjectFact[] = []
  for (const kind of liveKinds) objects.push(...(await readKind(options, kind, unreadable)))
  forgetUndefined(unreadable, objects)
  const inhabited = [
    ...new Set(objects.flatMap(({ object }) => (object.kind === 'Pod' ? (object.namespace ?? []) : []))),
  ]
  objects.push(...(await readEvents(options, options.namespaces ?? inhabited.sort(), unreadable)))
  return {
    version: options.version ?? versionOfNodes(objects),
    objects,
    pods: viewPods(objects),
    live: {
      at,
      unreadable,
      namespaces: options.namespaces,
      earlier: options.earlier,
      registrations: options.registrations,
      podGcThreshold: thresholdOf(options.podGcThreshold, objects),
    },
  }
}

async function readKind(
  options: GatherOptions,
  { resource, read }: LiveKind,
  unreadable: Record<string, string>,
): Promise<ObjectFact[]> {
  const found: ObjectFact[] = []
  for (const namespace of scopesOf(resource, options.namespaces)) {
    const keep = (object: KubeObject) => trim(object, read)
    const metadataOnly = read === 'metadata'
    found.push(...(await readList(options, { resource, namespace, keep, metadataOnly }, unreadable)))
  }
  return found
}

/** One list a namespace; of each object the newest few, which is what rules ask for. */
async function readEvents(
  options: GatherOptions,
  namespaces: readonly string[],
  unreadable: Record<string, string>,
): Promise<ObjectFact[]> {
  const found: ObjectFact[] = []
  for (const namespace of namespaces) {
    const newest = newestEvents()
    const list = { resource: events, namespace, keep: newest.keep, metadataOnly: false }
    await readList(options, list, unreadable)
    found.push(...newest.all().map((event) => factOf(events, event)))
  }
  return found
}

type List = {
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly keep: (object: KubeObject) => KubeObject | undefined
  readonly metadataOnly: boolean
}

async function readList(
  { kubernetes, signal }: GatherOptions,
  { resource, namespace, keep, metadataOnly }: List,
  unreadable: Record<string, string>,
): Promise<ObjectFact[]> {
  try {
    const { items } = await kubernetes.list(resource, { namespace, keep, metadataOnly, signal })
    return items.map((item) => factOf(resource, item))
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`
    unreadable[resource.kind] ??= `${reasonOf(error)}${where}`
    return []
  }
}

function reasonOf(error: KubernetesError): string {
  if (error.kind === 'not-found') return unknownKind
  if (error.kind === 'forbidden') return 'not allowed to list it'
  return error.message
}

const unknownKind = 'the API server does not know this kind'

/** What is not served has no objects. Of built-in surroundings the server's 404 is believed (it comes after the permission was checked);
 *  of a custom kind, on which deletions rest, only a complete list of the definitions without it. */
function forgetUndefined(unreadable: Record<string, string>, objects: readonly ObjectFact[]): void {
  for (const { kind } of surroundings) if (unreadable[kind]?.startsWith(unknownKind)) delete unreadable[kind]
  if (unreadable[definitions.kind] !== undefined) return
  const defined = new Set(objects.flatMap(({ object }) => (object.kind === definitions.kind ? [object.name] : [])))
  for (const { kind, plural, group } of customResources) {
    if (unreadable[kind]?.startsWith(unknownKind) && !defined.has(`${plural}.${group}`)) delete unreadable[kind]
  }
}

function scopesOf(resource: Resource, namespaces: readonly string[] | undefined): readonly (string | undefined)[] {
  return resource.namespaced && namespaces ? namespaces : [undefined]
}

/** Pods live on kubelets, whatever the API server is. */
function versionOfNodes(objects: readonly ObjectFact[]): VersionFact {
  const found = objects.flatMap(({ object, raw }) => {
    const version = object.kind === 'Node' ? textAt(raw, 'status', 'nodeInfo', 'kubeletVersion') : undefined
    const minor = /^v1\.(\d+)/.exec(version ?? '')?.[1]
    return minor === undefined ? [] : [Number(minor)]
  })
  const minors = [...new Set(found)].filter((minor) => supportedMinors.some((one) => one === minor)).sort()
  return minors.length > 0 ? { minors, declared: true, from: "the nodes' kubelets" } : undeclaredVersion
}

/** Kubernetes: kube-controller-manager, --terminated-pod-gc-threshold. */
const thresholdDefault = 12_500

function thresholdOf(given: number | undefined, objects: readonly ObjectFact[]): LiveFacts['podGcThreshold'] {
  if (given !== undefined) return { value: given, assumed: false }
  for (const { object, raw } of objects) {
    if (object.kind !== 'Pod' || !object.name.startsWith('kube-controller-manager')) continue
    const words = textsAt(raw, 'spec', 'containers', 0, 'command')
    const flag = words.flatMap((word) => /^--terminated-pod-gc-threshold=(\d+)$/.exec(word)?.[1] ?? [])[0]
    if (flag !== undefined) return { value: Number(flag), assumed: false }
  }
  return { value: thresholdDefault, assumed: true }
}
