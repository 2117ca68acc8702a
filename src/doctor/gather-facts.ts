// Objects of files → the facts that rules read.
import type { Facts, ObjectFact, VersionFact } from './facts.ts'
import { viewPods } from './pods/pod-views.ts'
import { asWritten } from './sources/as-written.ts'
import type { SourceObject } from './sources/document.ts'
import { refOf } from './sources/object-ref.ts'

/** Every minor of which the doctor knows how it differs. */
export const supportedMinors = [28, 29, 30, 31, 32, 33, 34, 35, 36] as const

/** May be declared: before the first supported one nothing changes that a rule asks for (Kubernetes: KEP-753, KEP-2307). */
export const oldestMinor = 25

/** Nobody said which version: each supported one is considered. */
export const undeclaredVersion: VersionFact = { minors: supportedMinors, declared: false, from: 'no version declared' }

/** `charts`: what the chart of a file says, where nobody says more. */
export function gatherFacts(
  found: readonly SourceObject[],
  version: VersionFact = undeclaredVersion,
  charts: (file: string) => VersionFact | undefined = () => undefined,
): Facts {
  const objects = found.map((object): ObjectFact => {
    const own = version.declared ? undefined : charts(object.document.file.path)
    return { object: refOf(object), document: object.number, raw: asWritten(object), version: own }
  })
  return { version, objects, pods: viewPods(objects), live: undefined }
}
