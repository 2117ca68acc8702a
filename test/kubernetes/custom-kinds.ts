// Defines the custom kinds that the doctor knows on a real cluster, and removes those that it has defined.
import type { Kubernetes } from '../../src/kubernetes/kubernetes.ts'
import { arcKinds, definitionOf } from '../doctor-cluster.fixture.ts'
import { crds, eventually, isAbsent } from './client-place.ts'

export type CustomKinds = { remove(): Promise<void> }

export async function defineCustomKinds(kubernetes: Kubernetes): Promise<CustomKinds> {
  const mine: string[] = []
  for (const [kind, name] of Object.entries({ ...arcKinds, RunnerSet: 'runnersets.dayfly.dev' })) {
    if (!(await isAbsent(kubernetes.get(crds, { name })))) continue
    await kubernetes.create(crds, definitionOf(kind, name))
    mine.push(name)
    await eventually(`${name} is served`, async () => {
      const { status } = await kubernetes.get(crds, { name })
      const conditions = (status as { conditions?: { type: string; status: string }[] | null } | undefined)?.conditions
      return conditions?.some(({ type, status }) => type === 'Established' && status === 'True')
    })
  }
  return {
    remove: async () => {
      for (const name of mine) await kubernetes.delete(crds, { name })
      // Otherwise the next test would find the kinds, but could not create objects.
      for (const name of mine)
        await eventually(`${name} is gone`, () => isAbsent(kubernetes.get(crds, { name })), 60_000)
    },
  }
}
