// What a live pod says of itself: containers' states, its deadline of deletion, its owner, and what events tell of it.

import type { Instant } from '../../lib/clock.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import { fieldsAt, listAt, numberAt, textAt, timeAt, valueAt } from '../fields.ts'
import type { Raw } from '../raw.ts'

export type ContainerState = {
  readonly name: string
  readonly state: 'waiting' | 'running' | 'terminated' | 'unknown'
  /** Of a waiting or terminated one. */
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly exitCode: number | undefined
  readonly finishedAt: Instant | undefined
  readonly started: boolean
  readonly restartCount: number
}

/** `list`: containerStatuses or initContainerStatuses. */
export function containerStates(pod: Raw, list: 'containerStatuses' | 'initContainerStatuses'): ContainerState[] {
  return listAt(pod, 'status', list).map((status) => {
    const state =
      (['waiting', 'running', 'terminated'] as const).find((key) => valueAt(status, 'state', key)) ?? 'unknown'
    return {
      name: textAt(status, 'name') ?? '',
      state,
      reason: textAt(status, 'state', state, 'reason'),
      message: textAt(status, 'state', state, 'message'),
      exitCode: numberAt(status, 'state', state, 'exitCode'),
      finishedAt: timeAt(status, 'state', state, 'finishedAt'),
      started: valueAt(status, 'started') === true,
      restartCount: numberAt(status, 'restartCount') ?? 0,
    }
  })
}

/** Kubernetes: the deadline, not the time of the request; a sidecar may take 2 s more, and the rest is slack. */
const deletionSlack = 32_000

/** How long ago the object should have been gone, in milliseconds; undefined when it is not being deleted, or is still within its time. */
export function overdueBy(object: Raw, at: Instant): number | undefined {
  const deadline = timeAt(object, 'metadata', 'deletionTimestamp')
  return deadline !== undefined && at > deadline + deletionSlack ? at - deadline : undefined
}

export function ageOf(object: Raw, at: Instant): number | undefined {
  const created = timeAt(object, 'metadata', 'creationTimestamp')
  return created === undefined ? undefined : at - created
}

export function finalizersOf(object: Raw): readonly string[] {
  return listAt(object, 'metadata', 'finalizers').filter((each) => typeof each === 'string')
}

/** The objects of a kind, in the order in which they were read. */
export function objectsOf(facts: Facts, kind: string): readonly ObjectFact[] {
  return facts.objects.filter(({ object }) => object.kind === kind)
}

/** The kubelets' versions (`v1.35.1`), by the name of their node. */
export function kubeletVersions(facts: Facts): ReadonlyMap<string, string> {
  return new Map(
    objectsOf(facts, 'Node').flatMap(({ object, raw }) => {
      const version = textAt(raw, 'status', 'nodeInfo', 'kubeletVersion')
      return version === undefined ? [] : [[object.name, version]]
    }),
  )
}

/** The reference to the owner of this kind: the controller before others. Other systems have Jobs too (Volcano): the group counts. */
export function ownerOf(object: Raw, kind: string): { readonly name: string; readonly uid: string } | undefined {
  const group = kind === 'Job' ? 'batch' : 'actions.github.com'
  const references = listAt(object, 'metadata', 'ownerReferences').filter(
    (each) => textAt(each, 'kind') === kind && (textAt(each, 'apiVersion') ?? group).split('/')[0] === group,
  )
  const owner = references.find((each) => valueAt(each, 'controller') === true) ?? references[0]
  const uid = textAt(owner, 'uid')
  return uid === undefined ? undefined : { uid, name: textAt(owner, 'name') ?? '' }
}

export function uidOf(object: Raw): string | undefined {
  return textAt(object, 'metadata', 'uid')
}

export type EventView = {
  readonly reason: string
  readonly message: string
  /** Of the object, for example `spec.containers{runner}`. */
  readonly field: string | undefined
  readonly last: Instant
}

/** Finds the events about an object, the newest first. They are sorted out once. */
export function eventIndex(facts: Facts): (about: Pick<ObjectFact, 'object' | 'raw'>) => readonly EventView[] {
  const byObject = new Map<string, EventView[]>()
  for (const { raw } of objectsOf(facts, 'Event')) {
    const about = fieldsAt(raw, 'involvedObject') ?? {}
    const key =
      textAt(about, 'uid') ?? nameKey(textAt(about, 'kind'), textAt(about, 'namespace'), textAt(about, 'name'))
    const events = byObject.get(key) ?? []
    events.push(viewEvent(raw))
    byObject.set(key, events)
  }
  return ({ object, raw }) => {
    const events = byObject.get(uidOf(raw) ?? '') ?? byObject.get(nameKey(object.kind, object.namespace, object.name))
    return [...(events ?? [])].sort((a, b) => b.last - a.last)
  }
}

function nameKey(kind: string | undefined, namespace: string | undefined, name: string | undefined): string {
  return `${kind}/${namespace}/${name}`
}

function viewEvent(raw: Raw): EventView {
  return {
    reason: textAt(raw, 'reason') ?? '',
    message: textAt(raw, 'message') ?? '',
    field: textAt(raw, 'involvedObject', 'fieldPath'),
    last: timeAt(raw, 'lastTimestamp') ?? timeAt(raw, 'eventTime') ?? timeAt(raw, 'metadata', 'creationTimestamp') ?? 0,
  }
}

/** A duration for people: `3 min`, `2 h`, `12 d`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
