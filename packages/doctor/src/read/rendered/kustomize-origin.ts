// Finds the source of what kustomize rendered. A place is certain only if one object of the sources has the kind and the name, and holds
// the same value at the same path, in list entries of the same name.
import { isDeepStrictEqual } from 'node:util'
import { type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import { isMap, isNode, isScalar, isSeq, type Node } from 'yaml'
import type { Finding, Place } from '../../finding.ts'
import type { DecodedFile, SourceDocument, SourceObject } from '../decode/document.ts'
import { indexLines, placeOf } from '../yaml/place.ts'

/** Rendered text cannot be fixed, so the finding has no fix. A place without a certain source stays in the rendered text. */
export function relocateByValue(
  rendered: readonly DecodedFile[],
  sources: readonly DecodedFile[],
): (finding: Finding) => Finding {
  const byNumber = new Map(rendered.flatMap(({ objects }) => objects).map((object) => [object.number, object]))
  const sourcesOf = new Map<string, SourceObject[]>()
  for (const object of sources.flatMap(({ objects }) => objects)) {
    const key = identityOf(object)
    sourcesOf.set(key, [...(sourcesOf.get(key) ?? []), object])
  }
  const move = (place: Place, object: SourceObject): Place => {
    const [source, ...others] = sourcesOf.get(identityOf(object)) ?? []
    const path = pathAt(object, place.start)
    if (!source || others.length > 0 || !path || !isSame(object, source, path)) return place
    return placeOf(source, path, indexLines(source.document.file.text))
  }
  return (finding) => {
    const object = finding.document === undefined ? undefined : byNumber.get(finding.document)
    const at = (place: Place) => (object ? move(place, object) : place)
    return {
      ...finding,
      fix: undefined,
      place: finding.place && at(finding.place),
      related: finding.related.map((one) => ({ ...one, place: at(one.place) })),
    }
  }
}

function identityOf({ value }: SourceObject): string {
  return JSON.stringify([textAt(value, 'apiVersion'), textAt(value, 'kind'), textAt(value, 'metadata', 'name')])
}

/** A mapping may have more keys after the rendering, because a patch adds them: a finding in it is about what it has in the source, too. */
function isSame(object: SourceObject, source: SourceObject, path: Path): boolean {
  const rendered = valueAt(object.value, ...path)
  const written = valueAt(source.value, ...path)
  if (written === undefined || !isDeepStrictEqual(rendered, written)) return false
  return path.every((step, index) => {
    if (typeof step !== 'number') return true
    const entry = path.slice(0, index + 1)
    return textAt(object.value, ...entry, 'name') === textAt(source.value, ...entry, 'name')
  })
}

/** Returns the path in the object whose key or value begins at an offset of the file. */
function pathAt({ document, path: begin }: SourceObject, offset: number): Path | undefined {
  const found = search(document, document.nodes().contents, offset)
  const isInside = found?.length !== undefined && begin.every((step, index) => found[index] === step)
  return isInside ? found.slice(begin.length) : undefined
}

function search(document: SourceDocument, node: unknown, offset: number): Path | undefined {
  const begins = (one: unknown) => isNode(one) && one.range && document.toFile(one.range[0]) === offset
  const spans = (one: Node) =>
    one.range && document.toFile(one.range[0]) <= offset && offset < document.toFile(one.range[2])
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue
      const step = String(key.value)
      if (begins(key)) return [step]
      const inner = isNode(value) && spans(value) ? search(document, value, offset) : undefined
      if (inner) return [step, ...inner]
    }
  }
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      const inner = isNode(item) && spans(item) ? search(document, item, offset) : undefined
      if (inner) return [index, ...inner]
    }
  }
  return begins(node) ? [] : undefined
}
