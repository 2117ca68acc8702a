// Dayfly deletes no pod that it did not create, also if that pod has the name of a runner, and touches no runner of another client.
import { foreignRunner, giteaRunner } from '../gitea/jobs.ts'
import type { Checker } from './checker.ts'

export const strangers: Checker = {
  name: 'strangers',
  watch: ({ registry, gitea, observers, strangers: known }, broken) => {
    observers.sent.add((_identity, server, { method, path }) => {
      const id = server === 'forge' && method !== 'GET' ? giteaRunner.exec(path)?.[1] : undefined
      const name = (id === undefined ? undefined : gitea.control.runner(id)?.name) ?? ''
      if (name.startsWith(foreignRunner)) broken(`the registration ${name} gets a ${method}, which another client made`)
    })
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      if (!known.has(metadata.uid) || type === 'ADDED') return
      if (type === 'MODIFIED' && metadata.deletionTimestamp === undefined) return
      known.delete(metadata.uid)
      broken(`the pod ${metadata.name} is deleted, which another client created`)
    })
  },
}
