// The parts of the API server that every verb uses.
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { ResourceKey } from '../store/object.ts'
import type { Store } from '../store/store.ts'
import type { SharedSets } from './apply/shared-sets.ts'
import { noSuchResource } from './errors.ts'
import type { EventsBySubject } from './events-by-subject.ts'
import type { Kind, Kinds } from './kind.ts'
import type { Quotas } from './quota/quotas.ts'

/** The Kubernetes minor version whose rules apply where rules changed between versions. 1.28 differs from 1.29 only in its sidecars. */
export type Profile = '1.28' | '1.29' | '1.30' | '1.31' | '1.32' | '1.33' | '1.34' | '1.35' | '1.36'

export type Api = {
  readonly store: Store
  readonly kinds: Kinds
  readonly quotas: Quotas
  readonly fieldSets: SharedSets
  readonly eventsBySubject: EventsBySubject
  readonly clock: Clock
  readonly random: Random
  readonly profile: Profile
}

/** Returns the kind. Throws the 404 of an unknown path if the kind is not served. */
export function kindOf(api: Api, resource: ResourceKey): Kind {
  const kind = api.kinds.get(resource)
  if (kind === undefined) throw noSuchResource()
  return kind
}
