// A set never has more living pods than its maximum allows.
import type { StoredObject } from '../../src/embedded/store/object.ts'
import type { Checker } from './checker.ts'

const setLabel = 'dayfly.dev/runner-set'
/** The controller learns of a lower maximum by a watch, and a pod may be on its way. */
const learnMs = 120_000

export const ceiling: Checker = {
  name: 'ceiling',
  watch: ({ registry, clock, sets }, broken) => {
    const allowed = new Map(
      sets.map((set) => [`${set.namespace}/${set.name}`, [{ max: set.max, until: Number.POSITIVE_INFINITY }]]),
    )
    registry.subscribe('runnersets.dayfly.dev', ({ object: { metadata, spec } }) => {
      const known = allowed.get(`${metadata.namespace}/${metadata.name}`)
      const max: unknown = Object(Object(spec).scale).max
      const last = known?.at(-1)
      if (!known || !last || typeof max !== 'number' || last.max === max) return
      last.until = clock.now() + learnMs
      known.push({ max, until: Number.POSITIVE_INFINITY })
    })
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      if (type !== 'ADDED') return
      const set = metadata.labels?.[setLabel]
      const known = allowed.get(`${metadata.namespace}/${set}`)
      if (!known) return
      const max = Math.max(...known.flatMap((one) => (one.until >= clock.now() ? [one.max] : [])))
      const living = registry
        .list('pods', metadata.namespace)
        .filter((pod) => pod.metadata.labels?.[setLabel] === set && isLiving(pod))
      if (living.length > max) broken(`the set ${set} has ${living.length} living pods, and its maximum is ${max}`)
    })
  },
}

function isLiving({ status }: StoredObject): boolean {
  return !['Succeeded', 'Failed'].includes(Object(status).phase)
}
