// Decodes a file of Terraform: its heredocs, its objects, and its Helm releases.
import { addChunk, addDocument } from './add-document.ts'
import { type Draft, leaveOut, skip } from './draft.ts'
import { findReleases } from './hcl/find-releases.ts'
import { findTexts } from './hcl/find-texts.ts'
import { documentOf, maskUnknown } from './hcl/object-document.ts'
import type { ReadObject } from './hcl/read-object.ts'
import { mayHoldManifest, mayHoldObject } from './split.ts'

/** Terraform's provider writes pods in its own blocks, which are no manifests. */
const podResources =
  /^resource\s+"(kubernetes_(?:cron_job|daemon_?set|deployment|job|pod|replication_controller|stateful_set)(?:_v1)?)"/gm

export function decodeTerraform(draft: Draft): void {
  const { text } = draft.file
  const pods = [...text.matchAll(podResources)]
  for (const { index, 1: type } of pods) leaveOut(draft, index, `a ${type} of Terraform's own: no rule reads it`)
  const releases = findReleases(text, draft.file.path)
  if (releases) addTerraform(draft, releases, { masked: maskUnknown(text, [releases]), open: false })
  if (!mayHoldObject(text)) {
    if (pods.length === 0 && !releases) leaveOut(draft, undefined, 'no manifest in it')
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

function addTerraform(draft: Draft, object: ReadObject, { masked, open }: { masked: string; open: boolean }): void {
  const { value, nodes, spot, ...rest } = documentOf(object, masked)
  addDocument(draft, { ...rest, host: undefined, open }, { value, nodes, spot })
}
