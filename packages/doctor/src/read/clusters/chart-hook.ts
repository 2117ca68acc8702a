// Finds Jobs whose annotations come from an included helper. The helper may make a hook of the Job, and Helm deletes hooks itself.
import { isMap, isScalar, type YAMLMap } from 'yaml'
import type { SourceDocument, SourceObject } from '../decode/document.ts'
import { findNode } from '../yaml/nodes.ts'

/** Returns whether a marker below `metadata`, but not below its labels, includes a helper. The helper's text is not in the input. */
export function mayBeHook({ document, path, value }: SourceObject): boolean {
  if (value['kind'] !== 'Job' || !document.open || !/\b(?:include|template)\b/.test(document.file.text)) return false
  const { node } = findNode(document.nodes(), path)
  const metadata = isMap(node) ? extentOf(node, 'metadata', document.text.length) : undefined
  if (!metadata) return false
  const labels = isMap(metadata.value) ? extentOf(metadata.value, 'labels', metadata.end) : undefined
  return includesIn(document, metadata).some(({ at, column }) => {
    const isLabel = labels && at > labels.start && at < labels.end && column > columnOf(document, labels.start)
    return !isLabel
  })
}

type Extent = { readonly start: number; readonly end: number; readonly value: unknown }

/** Returns the part of the text from the key to the next key of the mapping. The markers between them belong to the key. */
function extentOf(map: YAMLMap, name: string, outer: number): Extent | undefined {
  const index = map.items.findIndex(({ key }) => isScalar(key) && key.value === name)
  const [item, next] = [map.items[index], map.items[index + 1]]
  const start = isScalar(item?.key) ? item.key.range?.[0] : undefined
  if (start === undefined) return undefined
  const end = isScalar(next?.key) ? next.key.range?.[0] : undefined
  return { start, end: end ?? outer, value: item?.value }
}

/** Returns the included helpers with the column to which they write. */
function includesIn(document: SourceDocument, { start, end }: Extent) {
  const [first, last] = [document.toFile(start), document.toFile(end)]
  const { text } = document.file
  return document.markers().flatMap((marker) => {
    if (marker.start < first || marker.start >= last) return []
    const written = text.slice(marker.start, marker.end)
    if (!/\b(?:include|template)\b/.test(written)) return []
    const indent = /\bn?indent\s+(\d{1,3})/.exec(written)?.[1]
    const at = marker.start - first + start
    return [{ at, column: indent === undefined ? columnOf(document, at) : Number(indent) }]
  })
}

function columnOf({ text }: SourceDocument, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}
