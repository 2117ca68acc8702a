// Sets that are sizes of one RunnerSet: the operator writes the parent, and Dayfly makes the sets.
import type { Random } from '@dayfly/kit/random'
import { type SetSpec, setObject } from './sets.ts'

export const parentName = 'ci'

/** In some of the worlds with a pool of GitHub, its two sets are sizes. Both then have the ages, the kept pods and the reruns of the first one. */
export function withSizes(sets: readonly SetSpec[], random: Random): readonly SetSpec[] {
  const members = sets.filter(({ pool }) => pool !== undefined)
  const [first] = members
  if (first === undefined || members.some(({ forge }) => forge !== 'github') || random() > 0.4) return sets
  return sets.map((set) => (set.pool ? sizeOf(set, first) : set))
}

function sizeOf(
  { usual: _usual, idleMaxS: _age, lifeMaxS: _life, keepS: _keep, reruns: _reruns, ...set }: SetSpec,
  first: SetSpec,
): SetSpec {
  const { idleMaxS, lifeMaxS, keepS, reruns } = first
  return {
    ...{ ...set, parent: parentName, max: Math.min(set.max, set.pool?.max ?? set.max) },
    ...(idleMaxS !== undefined && { idleMaxS }),
    ...(lifeMaxS !== undefined && { lifeMaxS }),
    ...(keepS && { keepS }),
    ...(reruns && { reruns }),
  }
}

/** Returns the RunnerSets that the operator applies: a parent stands for its sizes. */
export function objectsOf(sets: readonly SetSpec[]) {
  const sizes = sets.filter(({ parent }) => parent !== undefined)
  const own = sets.filter(({ parent }) => parent === undefined).map(setObject)
  return sizes.length > 0 ? [...own, parentObject(sizes)] : own
}

/** Returns the RunnerSet that the operator applies for a set: its own, or that of which it is a size. */
export function objectFor(sets: readonly SetSpec[], set: SetSpec) {
  return set.parent === undefined ? setObject(set) : parentObject(sets.filter(({ parent }) => parent === set.parent))
}

function parentObject(sizes: readonly SetSpec[]) {
  const [first] = sizes
  if (first?.pool === undefined) throw new Error('a set has sizes only as a pool')
  const { spec } = setObject({ ...first, name: parentName, labels: [] })
  const metadata = { name: parentName, namespace: first.namespace }
  return {
    ...{ apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata },
    spec: { ...spec, scale: { max: first.pool.max }, sizes: sizes.map(sizeEntry) },
  }
}

export function sizeEntry(set: SetSpec): object {
  const { scale } = setObject(set).spec
  const { min, max, schedule } = scale
  const { floor, weight } = set.pool ?? {}
  return { name: set.name, set: set.name, labels: set.labels, min, max, floor, weight, ...(schedule && { schedule }) }
}
