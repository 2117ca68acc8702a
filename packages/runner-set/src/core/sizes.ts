// The RunnerSets that the sizes of a RunnerSet become.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { apiGroup, runnerSetApiVersion } from '../model/api.ts'
import { runnerContainer } from '../model/runner-names.ts'
import type { ForgeKind, RunnerSet, SetSize } from '../model/runner-set.ts'
import { mergeTemplate } from './merge.ts'

/** The label with the name of the RunnerSet whose size an object is. */
export const sizeOfLabel = `${apiGroup}/size-of`

export type SizeDocument = {
  readonly apiVersion: string
  readonly kind: 'RunnerSet'
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly ownerReferences: readonly object[]
  }
  readonly spec: Readonly<Record<string, unknown>>
}

/** Returns the RunnerSet of one size. @param spec the spec of the set with the sizes as its owner wrote it */
export function sizeDocument(
  { name, namespace, uid, source }: RunnerSet,
  spec: JsonObject,
  size: SetSize,
): SizeDocument {
  const { sizes: _sizes, scale, template, ...shared } = spec
  const ceiling = Number(isJsonObject(scale) ? scale['max'] : 0)
  const owner = { apiVersion: runnerSetApiVersion, kind: 'RunnerSet', name, uid }
  return {
    apiVersion: runnerSetApiVersion,
    kind: 'RunnerSet',
    metadata: {
      name: size.set,
      namespace,
      labels: { [sizeOfLabel]: name },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
    },
    spec: {
      ...shared,
      ...labelled(shared, source.kind, size.labels),
      scale: scaleOf(name, ceiling, size),
      ...templateOf(isJsonObject(template) ? template : undefined, size),
    },
  }
}

/** A ceiling of 0 pauses every size. */
function scaleOf(pool: string, ceiling: number, { min, schedule, max = ceiling, floor, weight }: SetSize): JsonObject {
  if (ceiling === 0) return { min: 0, max: 0 }
  const windows = schedule ? { schedule } : {}
  return { min, ...windows, max: Math.min(max, ceiling), pool: { name: pool, max: ceiling, floor, weight } }
}

function labelled(spec: JsonObject, forge: ForgeKind, labels: readonly string[]): JsonObject {
  const source = spec[forge]
  if (!isJsonObject(source) || labels.length === 0) return {}
  const own = Array.isArray(source['labels']) ? source['labels'] : []
  return { [forge]: { ...source, labels: [...new Set([...own, ...labels])] } }
}

function templateOf(template: JsonObject | undefined, { template: patch, resources }: SetSize): JsonObject {
  const container = resources && { spec: { containers: [{ name: runnerContainer, resources }] } }
  const parts = [template, container, patch].filter((part) => part !== undefined)
  return parts.length === 0 ? {} : { template: parts.reduce((merged, part) => mergeTemplate(merged, part)) }
}
