// The history of a workload: one ControllerRevision for each template that it had (Kubernetes: pkg/controller/history).
import { integer, type JsonObject, objectAt, sameJson } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import { claim } from '../claim.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { ownerReference } from '../owners.ts'
import { templateHash } from './workload-object.ts'

export type Revision = StoredObject & { readonly revision: number; readonly data: JsonObject }

const resource = 'controllerrevisions.apps'

/** Returns the revisions of the workload, the oldest first. */
export function revisionsOf(registry: Registry, owner: StoredObject): readonly Revision[] {
  const claimed = claim(registry, owner, { resource, kind: 'ControllerRevision' }).map((object) => object as Revision)
  return claimed.sort(
    (one, other) => one.revision - other.revision || (one.metadata.name < other.metadata.name ? -1 : 1),
  )
}

/**
 * Returns the revision of the present template. A template that comes back gets its old revision with a new number.
 * @param all the revisions of the workload, the oldest first
 * @param hashLabel the label of a revision that holds its hash
 */
export function presentRevision(
  registry: Registry,
  owner: StoredObject,
  all: readonly Revision[],
  hashLabel: string,
): Revision {
  const data = { spec: { template: { ...objectAt(owner, 'spec', 'template'), $patch: 'replace' } } }
  const newest = all.at(-1)
  const known = all.findLast((revision) => sameJson(revision.data, data))
  if (known !== undefined && known === newest) return known
  const number = (newest?.revision ?? 0) + 1
  if (known !== undefined) return registry.update(resource, { ...known, revision: number }) as Revision
  const hash = freeHash(registry, owner)
  const labels = { ...objectAt(owner, 'spec', 'template', 'metadata', 'labels'), [hashLabel]: hash }
  const { name, namespace, annotations } = owner.metadata
  const metadata = { name: `${name}-${hash}`, namespace, labels, annotations }
  const owned = { ...metadata, ownerReferences: [ownerReference(owner)] }
  return registry.create(resource, { metadata: owned, data, revision: number }) as Revision
}

/** Returns a hash of the template that no other revision has in its name. */
function freeHash(registry: Registry, { metadata, spec }: StoredObject): string {
  const { name, namespace } = metadata
  for (let attempt = 0; ; attempt++) {
    const hash = templateHash(objectAt(spec, 'template'), attempt)
    if (registry.get(resource, namespace, `${name}-${hash}`) === undefined) return hash
  }
}

/** Returns the template of a revision. */
export function templateOfRevision({ data }: Revision): JsonObject {
  const { $patch: _, ...template } = objectAt(data, 'spec', 'template')
  return template
}

/** Deletes the oldest revisions beyond the limit of the history. @param live the names of the revisions in use */
export function deleteOldRevisions(registry: Registry, owner: StoredObject, live: ReadonlySet<string>): void {
  const limit = integer(owner, 'spec', 'revisionHistoryLimit')
  const unused = revisionsOf(registry, owner).filter(({ metadata }) => !live.has(metadata.name))
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
    ignoreRefusal(() => registry.delete(resource, metadata.namespace, metadata.name))
  }
}
