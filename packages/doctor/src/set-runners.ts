// The registrations of Dayfly's runner sets at a forge that keeps no record of sets: the names of the runners show whose they are.
import { valueAt } from '@dayfly/kit/read-json'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import type { ObjectFact, RegistrationFact } from './facts.ts'

export type OwnRunner = {
  readonly registration: RegistrationFact
  readonly forge: ForgeKind
  /** The owner, for messages. */
  readonly owner: string
  /** Whether the cluster has the Job or the pod of the runner. */
  readonly isThere: boolean
}

const byName = Object.entries(forgeTraits).flatMap(([kind, { records }]) =>
  records === 'by-name' ? [kind as ForgeKind] : [],
)

export function setRunners(
  registrations: readonly RegistrationFact[],
  objects: readonly ObjectFact[],
): readonly OwnRunner[] {
  const pods = new Set(objects.flatMap(({ object }) => (object.kind === 'Pod' ? [object.name] : [])))
  return objects.flatMap(({ object, raw }) => {
    const forge = byName.find((kind) => valueAt(raw, 'spec', kind) !== undefined)
    if (object.kind !== 'RunnerSet' || forge === undefined) return []
    const prefix = runnerPrefix({ name: object.name, uid: object.uid ?? '' })
    return registrations
      .filter(({ name }) => name.startsWith(prefix))
      .map((registration) => ({
        registration,
        forge,
        owner: `RunnerSet ${object.namespace}/${object.name}`,
        isThere: pods.has(registration.name),
      }))
  })
}
