// Decodes a file of Terraform: its workloads, heredocs, objects, and Helm releases.
import { decodeChunk, decodeDocument, type Source } from '../decode/decode-document.ts'
import { type Decoded, decodeEach, leaveOut, sizeOf, stop, together } from '../decode/decoded.ts'
import { mayHoldManifest, mayHoldObject } from '../yaml/split.ts'
import { findReleases } from './find-releases.ts'
import { findTexts } from './find-texts.ts'
import { documentOf, maskUnknown } from './object-document.ts'
import { findPodResources } from './pod-resources.ts'
import type { ReadObject } from './read-object.ts'
import { unreadValues } from './unread-values.ts'

/** How often each letter of the workloads may be read. */
const passesMax = 10

/** Decodes one part, if what is before it has this size. */
type Part = (before: number) => Decoded

export function decodeTerraform(source: Source, text: string): Decoded {
  const outer = decodeAll([...workloadsIn(source, text), ...releasesIn(source, text)])
  const inner = decodeAll(mayHoldObject(text) ? textsIn(source, text) : [], sizeOf(outer))
  const isEmpty = sizeOf(outer) === 0 && !mayHoldObject(text)
  const found = isEmpty ? leaveOut(undefined, 'no manifest in it') : together([outer, inner])
  // The values in a local value of the same file were found on their own.
  const hasValues = found.objects.some(({ kind }) => kind === 'values')
  const unread = unreadValues(text).filter(({ local }) => !(local && hasValues))
  return together([found, ...unread.map(({ at, message }) => stop(at, message))])
}

function decodeAll(parts: readonly Part[], before = 0): Decoded {
  return decodeEach(parts, before, (part, size) => part(size))
}

/** Returns the workloads in Terraform's own blocks, also those that could not be read. */
function workloadsIn(source: Source, text: string): readonly Part[] {
  if (!text.includes('kubernetes_')) return []
  const { resources, malformed } = findPodResources(text, { left: passesMax * text.length })
  const masked = maskUnknown(text, resources)
  return [
    ...resources.map((resource) => objectIn(source, resource, { masked, open: false })),
    ...malformed.map(
      ({ at, message }) =>
        () =>
          stop(at, `a workload of Terraform: ${message}`),
    ),
  ]
}

function releasesIn(source: Source, text: string): readonly Part[] {
  const releases = findReleases(text, source.file.path)
  return releases ? [objectIn(source, releases, { masked: maskUnknown(text, [releases]), open: false })] : []
}

/** Returns the manifests in heredocs and the objects in Terraform's own language. */
function textsIn(source: Source, text: string): readonly Part[] {
  const { heredocs, objects, malformed } = findTexts(text)
  const masked = maskUnknown(text, objects)
  const held = objects.filter(({ node }) => {
    const [start = 0, end] = node.range ?? []
    return mayHoldObject(text.slice(start, end))
  })
  return [
    ...heredocs
      .filter((heredoc) => mayHoldManifest(heredoc.text))
      .map((heredoc) => (before: number) => decodeChunk(source, heredoc, before)),
    ...held.map((object) => objectIn(source, object, { masked, open: object.open })),
    ...(malformed ? [() => stop(malformed.at, `an object of Terraform: ${malformed.message}`)] : []),
  ]
}

function objectIn(source: Source, object: ReadObject, { masked, open }: { masked: string; open: boolean }): Part {
  const { value, nodes, ...rest } = documentOf(object, masked)
  return (before) => decodeDocument(source, { ...rest, host: undefined, open }, { value, nodes }, before)
}
