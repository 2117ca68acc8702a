// Turns the objects of files into the facts that rules read.
import type { Delivery } from '../delivery.ts'
import type { Facts, ObjectFact, ObjectSource, VersionFact } from '../facts.ts'
import { viewPods } from '../pods/pod-views.ts'
import type { SourceObject } from '../read/decode/document.ts'
import { refOf } from '../read/decode/object-ref.ts'
import { asWritten } from '../read/template/as-written.ts'
import { commentAt } from '../read/yaml/comments.ts'
import { undeclaredVersion } from '../version-fact.ts'

/**
 * `versions`: returns the versions of a file, by its clusters or its chart. They apply if the operator declared no version for the
 * whole input.
 */
export function gatherFacts(
  found: readonly SourceObject[],
  version: VersionFact = undeclaredVersion,
  versions: (file: string) => VersionFact | undefined = () => undefined,
  deliveryOf: (object: SourceObject) => Delivery | undefined = () => undefined,
): Facts {
  const objects = found.map((object): ObjectFact => {
    const { path: file } = object.document.file
    const source: ObjectSource = {
      file,
      commentAt: (path) => commentAt(object, path),
      hasBranches: () => object.document.markers().some(({ role }) => role === 'open'),
    }
    return {
      object: refOf(object),
      document: object.number,
      raw: asWritten(object),
      version: version.declared ? undefined : versions(file),
      delivery: deliveryOf(object),
      source,
    }
  })
  return { version, objects, pods: viewPods(objects), live: undefined }
}
