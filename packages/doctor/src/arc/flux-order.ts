// Finds out whether Flux's Kustomizations apply one object before another. Only dependsOn between these two orders them.
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'

/** `unknown`: a dependsOn exists, but the input does not show which Kustomization applies an object, for example through a base. */
type FluxOrder = 'ordered' | 'unordered' | 'unknown'

/** Whether the Kustomizations that apply `later` wait for those that apply `first`. */
export function fluxOrder(facts: Facts, first: ObjectFact, later: ObjectFact): FluxOrder {
  const all = objectsOf(facts, 'Kustomization').filter(({ object }) =>
    object.apiVersion.startsWith('kustomize.toolkit.fluxcd.io/'),
  )
  if (!all.some(({ raw }) => listAt(raw, 'spec', 'dependsOn').length > 0)) return 'unordered'
  const [before, after] = [first, later].map((fact) => appliersOf(fact, all))
  if (!before?.length || !after?.length) return 'unknown'
  return after.every((each) => dependsOn(each, before, all)) ? 'ordered' : 'unordered'
}

/** Returns the Kustomizations whose path is the innermost folder around the object's file. */
function appliersOf({ source }: ObjectFact, all: readonly ObjectFact[]): readonly ObjectFact[] {
  const file = `/${source?.file ?? ''}`
  const around = all.flatMap((fact) => {
    const path = (textAt(fact.raw, 'spec', 'path') ?? '').replace(/^\.?\/+|\/+$/g, '')
    return path !== '' && path !== '.' && file.includes(`/${path}/`) ? [{ fact, depth: path.split('/').length }] : []
  })
  const deepest = Math.max(...around.map(({ depth }) => depth))
  return around.flatMap(({ fact, depth }) => (depth === deepest ? [fact] : []))
}

/** Follows dependsOn through other Kustomizations. Also ends in a circle. */
function dependsOn(from: ObjectFact, wanted: readonly ObjectFact[], all: readonly ObjectFact[]): boolean {
  const seen = new Set([from])
  for (const fact of seen) {
    for (const each of listAt(fact.raw, 'spec', 'dependsOn')) {
      const name = textAt(each, 'name')
      const namespace = textAt(each, 'namespace') ?? namespaceOf(fact)
      const needed = all.filter((other) => other.object.name === name && mayBeIn(namespaceOf(other), namespace))
      if (needed.some((other) => other !== from && wanted.includes(other))) return true
      for (const other of needed) seen.add(other)
    }
  }
  return false
}

function namespaceOf({ object, delivery }: ObjectFact): string | undefined {
  return delivery?.namespace ?? object.namespace
}

/** A namespace that the input does not show may be the same. */
function mayBeIn(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other
}
