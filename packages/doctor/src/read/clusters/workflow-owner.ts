// Recognizes manifests that a workflow of Argo Workflows creates with itself as their owner.
import { valueAt } from '@dayfly/kit/read-json'
import type { SourceObject } from '../decode/document.ts'

/** The step `resource` of a template holds the manifest as a string beside `setOwnerReference`. */
export function isOwnedByWorkflow({ document: { host } }: SourceObject): boolean {
  if (host?.path.at(-1) !== 'manifest' || host.path.at(-2) !== 'resource') return false
  return valueAt(host.document.value, ...host.path.slice(0, -1), 'setOwnerReference') === true
}
