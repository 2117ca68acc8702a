// Reads ARC's sets, what holds them, and the RunnerSets that may take them over.
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { apiGroup } from '@dayfly/runner-set/model/api'
import type { FailureReason } from '@dayfly/runner-set/model/failure'
import * as z from 'zod'
import { runnerSets } from '../../resources.ts'
import { nameAtForge } from '../../rival.ts'
import { AccessFailure, type Cluster, listAll } from '../read.ts'
import { problemOf, viewSet } from '../set-view.ts'
import { type Held, heldOf, type Named } from '../takeover/step.ts'
import type { Note } from './step.ts'

const arcKind = (plural: string, kind: string): Resource => ({
  group: 'actions.github.com',
  version: 'v1alpha1',
  plural,
  kind,
  namespaced: true,
})
export const arcSets = arcKind('autoscalingrunnersets', 'AutoscalingRunnerSet')
export const arcListeners = arcKind('autoscalinglisteners', 'AutoscalingListener')
export const arcRunnerSets = arcKind('ephemeralrunnersets', 'EphemeralRunnerSet')
export const arcRunners = arcKind('ephemeralrunners', 'EphemeralRunner')

/** ARC's annotation with the id of the scale set. Without it, ARC takes the scale set for removed already. */
export const idAnnotation = 'runner-scale-set-id'
export const holdFinalizer = `${apiGroup}/takeover`
export const noteAnnotation = `${apiGroup}/takeover`
/** Stays at a RunnerSet: the set of ARC that it has taken over, as `namespace/name`. */
export const doneAnnotation = `${apiGroup}/taken-over`

const name = z.string().min(1)
const noteSchema = z
  .object({ arc: z.object({ namespace: name, name }), scaleSetId: z.string().regex(/^\d+$/), release: name.optional() })
  .transform(({ release, ...note }): Note => ({ ...note, release }))

/** An object that ARC waits for before it deletes the scale set. */
export type Holder = Held & { readonly resource: Resource; readonly isHeld: boolean }

export type ArcSet = Held & {
  /** The id of its scale set; undefined if ARC has made none, or if the takeover has taken it away. */
  readonly scaleSetId: string | undefined
  readonly isDeleting: boolean
  readonly holders: readonly Holder[]
  /** The RunnerSet of the same name, account and runner group, and what the forge answers to it: it must wait for the scale set. */
  readonly runnerSet: (Named & { readonly answer: FailureReason | undefined }) | undefined
  /** The tool that would make the set again. */
  readonly delivery: 'Argo CD' | 'Flux' | undefined
  readonly release: string | undefined
}

/** A RunnerSet with a takeover under way. */
export type Taking = Named & { readonly note: Note; readonly isConnected: boolean }

export type ArcFacts = {
  readonly sets: readonly ArcSet[]
  readonly taking: readonly Taking[]
  /** Names that the caller asked for, and that no set of ARC and no takeover has or had. */
  readonly unknown: readonly string[]
  /** The names of the sets of ARC, and of those with a takeover under way. */
  readonly existing: readonly string[]
}

/** @param namespace of ARC's sets; undefined for all @param names only these sets; empty for all */
export async function gatherArc(
  cluster: Cluster,
  namespace: string | undefined,
  names: readonly string[],
): Promise<ArcFacts> {
  const isMeant = (at: Named) =>
    (names.length === 0 || names.includes(at.name)) && (namespace === undefined || at.namespace === namespace)
  const own = await listAll(cluster, runnerSets, {})
  const found = await listOfArc(cluster, arcSets, namespace)
  const listeners = await listOfArc(cluster, arcListeners, undefined)
  const runners = await listOfArc(cluster, arcRunnerSets, namespace)
  const sets = found
    .filter((set) => isMeant(heldOf(set)))
    .map((set) => readArcSet(set, holdersAmong([...listeners, ...runners], heldOf(set)), own))
  const isHere = (at: Named) => namespace === undefined || at.namespace === namespace
  const taking = own.flatMap(readTaking).filter(({ note }) => isHere(note.arc))
  const existing = [
    ...new Set([...found.map(({ metadata }) => metadata.name), ...taking.map(({ note }) => note.arc.name)]),
  ]
  const done = own.flatMap(readDone).filter(isHere)
  const unknown = names.filter((one) => !existing.includes(one) && !done.some((at) => at.name === one))
  return { sets, taking: taking.filter(({ note }) => isMeant(note.arc)), unknown, existing: existing.sort() }
}

function readDone(object: KubeObject): readonly Named[] {
  const [namespace, name] = object.metadata.annotations?.[doneAnnotation]?.split('/') ?? []
  return namespace === undefined || name === undefined ? [] : [{ namespace, name }]
}

/** Returns the listeners and the EphemeralRunnerSets of a set. A listener is in ARC's own namespace. */
export async function holdersOf(cluster: Cluster, set: Named): Promise<readonly Holder[]> {
  const listeners = await listOfArc(cluster, arcListeners, undefined)
  const runners = await listOfArc(cluster, arcRunnerSets, set.namespace)
  return holdersAmong([...listeners, ...runners], set)
}

function holdersAmong(objects: readonly KubeObject[], set: Named): readonly Holder[] {
  return [
    ...objects.filter((object) => isListenerOf(object, set)).map((object) => holderOf(arcListeners, object)),
    ...objects.filter((object) => isOwnedBy(object, set)).map((object) => holderOf(arcRunnerSets, object)),
  ]
}

export function isListenerOf(object: KubeObject, { namespace, name }: Named): boolean {
  const of = (key: string) => textAt(object, 'spec', key)
  return of('autoscalingRunnerSetName') === name && of('autoscalingRunnerSetNamespace') === namespace
}

function isOwnedBy({ metadata }: KubeObject, set: Named): boolean {
  const owners = metadata.ownerReferences ?? []
  return (
    metadata.namespace === set.namespace && owners.some(({ kind, name }) => kind === arcSets.kind && name === set.name)
  )
}

/** Returns nothing if the cluster does not have ARC's kinds. @param namespace undefined for all */
export async function listOfArc(cluster: Cluster, resource: Resource, namespace: string | undefined) {
  try {
    return await listAll(cluster, resource, { namespace })
  } catch (error) {
    if (error instanceof AccessFailure && error.error.kind === 'not-found') return []
    throw error
  }
}

function holderOf(resource: Resource, object: KubeObject): Holder {
  return { ...heldOf(object), resource, isHeld: finalizersOf(object).includes(holdFinalizer) }
}

export function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, 'metadata', 'finalizers').filter((name) => typeof name === 'string')
}

function readArcSet(set: KubeObject, holders: readonly Holder[], own: readonly KubeObject[]): ArcSet {
  const { annotations = {}, labels = {}, deletionTimestamp } = set.metadata
  const isArgo = Object.keys({ ...annotations, ...labels }).some((key) => key.startsWith('argocd.argoproj.io/'))
  const isFlux = Object.keys(labels).some((key) => /^(helm|kustomize)\.toolkit\.fluxcd\.io\//.test(key))
  return {
    ...heldOf(set),
    scaleSetId: annotations[idAnnotation],
    isDeleting: deletionTimestamp !== undefined,
    holders,
    runnerSet: own.filter((object) => wantsNameOf(object, set)).map(readAnswer)[0],
    delivery: isFlux ? 'Flux' : isArgo ? 'Argo CD' : undefined,
    release: annotations['meta.helm.sh/release-name'],
  }
}

function readAnswer(object: KubeObject) {
  const view = viewSet(object)
  return { namespace: view.namespace, name: view.name, answer: problemOf(view, 'forge')?.reason }
}

function wantsNameOf(object: KubeObject, set: KubeObject): boolean {
  const parsed = parseRunnerSet(object)
  if (!parsed.ok) return false
  const name = textAt(set, 'spec', 'runnerScaleSetName') || set.metadata.name
  const runnerGroup = textAt(set, 'spec', 'runnerGroup') || undefined
  const url = textAt(set, 'spec', 'githubConfigUrl') ?? ''
  return nameAtForge(parsed.set) === nameAtForge({ name, source: { kind: 'github', url, runnerGroup } })
}

function readTaking(object: KubeObject): readonly Taking[] {
  const note = readNote(object.metadata.annotations?.[noteAnnotation])
  if (!note) return []
  const { namespace, name, forge } = viewSet(object)
  return [
    { namespace, name, note, isConnected: forge['scaleSetId'] === note.scaleSetId && Boolean(forge['sessionId']) },
  ]
}

/** Returns undefined also for a note that Dayfly has not written: every client may annotate a set. */
function readNote(text: string | undefined): Note | undefined {
  return noteSchema.safeParse(parsedJson(text)).data
}

function parsedJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
