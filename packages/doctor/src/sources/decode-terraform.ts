// Decodes a file of Terraform: its workloads, heredocs, objects, and Helm releases.
import { addChunk, addDocument } from './add-document.ts'
import { type Draft, leaveOut, skip } from './draft.ts'
import { findReleases } from './hcl/find-releases.ts'
import { findTexts } from './hcl/find-texts.ts'
import { documentOf, maskUnknown } from './hcl/object-document.ts'
import { findPodResources } from './hcl/pod-resources.ts'
import type { ReadObject } from './hcl/read-object.ts'
import { unreadValues } from './hcl/unread-values.ts'
import { mayHoldManifest, mayHoldObject } from './split.ts'

/** How often each letter of the workloads may be read. */
const passesMax = 10

export function decodeTerraform(draft: Draft): void {
  decodeParts(draft)
  // The values in a local value of the same file were found on their own.
  const hasValues = draft.objects.some(({ kind }) => kind === 'values')
  for (const { at, message, local } of unreadValues(draft.file.text)) {
    if (!(local && hasValues)) skip(draft, at, message)
  }
}

function decodeParts(draft: Draft): void {
  const { text } = draft.file
  const workloads = addWorkloads(draft)
  const releases = findReleases(text, draft.file.path)
  if (releases) addTerraform(draft, releases, { masked: maskUnknown(text, [releases]), open: false })
  if (!mayHoldObject(text)) {
    if (workloads === 0 && !releases) leaveOut(draft, undefined, 'no manifest in it')
    return
  }
  const { heredocs, objects, malformed } = findTexts(text)
  for (const { text: body, toFile } of heredocs) {
    if (mayHoldManifest(body)) addChunk(draft, body, toFile)
  }
  const masked = maskUnknown(text, objects)
  for (const object of objects) {
    const [start = 0, end] = object.node.range ?? []
    if (!mayHoldObject(text.slice(start, end))) continue
    addTerraform(draft, object, { masked, open: object.open })
  }
  if (malformed) skip(draft, malformed.at, `an object of Terraform: ${malformed.message}`)
}

/** Adds the objects of the workloads in Terraform's own blocks. Returns their number, also of those that could not be read. */
function addWorkloads(draft: Draft): number {
  const { text } = draft.file
  if (!text.includes('kubernetes_')) return 0
  const { resources, malformed } = findPodResources(text, { left: passesMax * text.length })
  const masked = maskUnknown(text, resources)
  for (const resource of resources) addTerraform(draft, resource, { masked, open: false })
  for (const { at, message } of malformed) skip(draft, at, `a workload of Terraform: ${message}`)
  return resources.length + malformed.length
}

function addTerraform(draft: Draft, object: ReadObject, { masked, open }: { masked: string; open: boolean }): void {
  const { value, nodes, ...rest } = documentOf(object, masked)
  addDocument(draft, { ...rest, host: undefined, open }, { value, nodes })
}
