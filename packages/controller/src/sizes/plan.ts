// The needs of a set's sizes: RunnerSets to create, to change, to drain and to delete. Pure.
import { hashValue } from '@dayfly/kit/hash'
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { type SizeDocument, sizeDocument } from '@dayfly/runner-set/core/sizes'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { ParsedSet } from '../options.ts'

export type SizeStep =
  | { readonly is: 'create'; readonly document: SizeDocument }
  /** @param owners the owners of the object from now on; undefined if they stay */
  | {
      readonly is: 'change' | 'adopt' | 'drain'
      readonly object: KubeObject
      readonly spec: JsonObject
      readonly owners: readonly object[] | undefined
    }
  | { readonly is: 'delete'; readonly object: KubeObject }

export type SizePlan = {
  readonly steps: readonly SizeStep[]
  /** Sizes that cannot be made, by the name of their RunnerSet. */
  readonly failures: readonly { readonly set: string; readonly failure: Failure }[]
}

type Read = (object: KubeObject) => ParsedSet

/** @param others the other RunnerSets of the namespace */
export function planSizes(parent: RunnerSet, spec: JsonObject, others: readonly KubeObject[], read: Read): SizePlan {
  const sizes = parent.sizes ?? []
  const wanted = sizes.map((size) => {
    const document = sizeDocument(parent, spec, size)
    const there = others.find(({ metadata }) => metadata.name === size.set)
    return stepOf({ document, there, adopts: size.adopt, parent }, read)
  })
  const dropped = others.filter(
    (object) => isSizeOf(object, parent) && !sizes.some(({ set }) => set === object.metadata.name),
  )
  return {
    steps: [...wanted.flatMap(({ step }) => step ?? []), ...dropped.flatMap(endOf)],
    failures: wanted.flatMap(({ failure }, at) => (failure ? [{ set: sizes[at]?.set ?? '', failure }] : [])),
  }
}

/** Returns whether an object was made for a size of the set, or taken over. */
export function isSizeOf({ metadata }: KubeObject, { uid }: Pick<RunnerSet, 'uid'>): boolean {
  return ownersOf(metadata).some((owner) => owner.uid === uid)
}

type Owner = { readonly uid?: string; readonly name?: string }

/** Returns the owners of an object. */
function ownersOf(metadata: KubeObject['metadata']): readonly Owner[] {
  const { ownerReferences } = metadata as { readonly ownerReferences?: readonly Owner[] }
  return ownerReferences ?? []
}

type Wanted = {
  readonly document: SizeDocument
  readonly there: KubeObject | undefined
  readonly adopts: boolean
  readonly parent: RunnerSet
}

type Verdict = { readonly step?: SizeStep; readonly failure?: Failure }

function stepOf({ document, there, adopts, parent }: Wanted, read: Read): Verdict {
  const { spec } = document
  const desired = read(document as unknown as KubeObject)
  if (!desired.ok) {
    const message = desired.problems.map(({ path, sentence }) => `${path}: ${sentence}`).join('; ')
    return { failure: { reason: 'template-invalid', message } }
  }
  if (!there) return { step: { is: 'create', document } }
  if (there.metadata.deletionTimestamp !== undefined) return {}
  if (isSizeOf(there, parent)) {
    return isSame(read(there), desired.set) ? {} : { step: { is: 'change', object: there, spec, owners: undefined } }
  }
  if (adopts && ownersOf(there.metadata).length === 0) {
    return { step: { is: 'adopt', object: there, spec, owners: document.metadata.ownerReferences } }
  }
  const message = `RunnerSet ${parent.namespace}/${document.metadata.name} exists and is no size of ${parent.name}. With adopt: true it becomes one`
  return { failure: { reason: 'set-name-taken', message } }
}

/** Defaults, the order of keys and what the API server adds make no difference. */
function isSame(there: ParsedSet, desired: RunnerSet): boolean {
  const facts = ({ uid: _uid, generation: _generation, ...set }: RunnerSet) => hashValue(set, 20)
  return there.ok && facts(there.set) === facts(desired)
}

/** A size that is taken away finishes its jobs first: a deleted set would end them. */
function endOf(object: KubeObject): readonly SizeStep[] {
  if (object.metadata.deletionTimestamp !== undefined) return []
  const spec = isJsonObject(object['spec']) ? object['spec'] : {}
  if (spec['paused'] !== true) return [{ is: 'drain', object, spec: { ...spec, paused: true }, owners: undefined }]
  return isDrained(object) ? [{ is: 'delete', object }] : []
}

/** Unknown is never zero. */
function isDrained({ metadata, ...object }: KubeObject): boolean {
  const status = isJsonObject(object['status']) ? object['status'] : {}
  const isCurrent = status['observedGeneration'] === metadata.generation
  return isCurrent && ['idle', 'busy', 'pending'].every((count) => status[count] === 0)
}
