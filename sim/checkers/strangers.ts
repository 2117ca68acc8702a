// Dayfly deletes no pod that it did not create, also if that pod has the name of a runner.
import type { Checker } from './checker.ts'

export const strangers: Checker = {
  name: 'strangers',
  watch: ({ registry, strangers: known }, broken) => {
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      if (!known.has(metadata.uid) || type === 'ADDED') return
      if (type === 'MODIFIED' && metadata.deletionTimestamp === undefined) return
      known.delete(metadata.uid)
      broken(`the pod ${metadata.name} is deleted, which another client created`)
    })
  },
}
