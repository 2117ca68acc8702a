// Turns the objects of files into the facts that rules read.
import type { Facts, ObjectFact, ObjectSource, VersionFact } from '../facts.ts'
import { viewPods } from '../pods/pod-views.ts'
import { asWritten } from '../sources/as-written.ts'
import { commentAt } from '../sources/comments.ts'
import type { SourceObject } from '../sources/document.ts'
import { refOf } from '../sources/object-ref.ts'
import { undeclaredVersion } from '../version-fact.ts'

/** `charts`: returns the versions that the chart of a file allows. They apply if the operator declared no version. */
export function gatherFacts(
  found: readonly SourceObject[],
  version: VersionFact = undeclaredVersion,
  charts: (file: string) => VersionFact | undefined = () => undefined,
): Facts {
  const objects = found.map((object): ObjectFact => {
    const own = version.declared ? undefined : charts(object.document.file.path)
    const source: ObjectSource = { file: object.document.file.path, commentAt: (path) => commentAt(object, path) }
    return { object: refOf(object), document: object.number, raw: asWritten(object), version: own, source }
  })
  return { version, objects, pods: viewPods(objects), live: undefined }
}
