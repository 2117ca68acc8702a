// How an object of a file is named. A name that a template computes is shown as the template writes it.
import type { ObjectRef } from '../finding.ts'
import { asRecord, asText, type Raw } from '../raw.ts'
import type { SourceObject } from './document.ts'
import { findNode } from './nodes.ts'
import { isUnknown } from './unknown.ts'

/** The apiVersion by which values of a chart (kind `Values`) and files that install charts (kind `Charts`) are named, which are no Kubernetes objects. */
export const valuesVersion = 'helm'

export function refOf(object: SourceObject): ObjectRef {
  const { value, kind } = object
  if (kind === 'values') {
    const name = named(object, value, 'runnerScaleSetName')
    return { apiVersion: valuesVersion, kind: 'Values', namespace: undefined, name: name ?? '' }
  }
  if (kind === 'charts') {
    return { apiVersion: valuesVersion, kind: 'Charts', namespace: undefined, name: asText(value['name']) ?? '' }
  }
  const metadata = asRecord(value['metadata']) ?? {}
  return {
    apiVersion: asText(value['apiVersion']) ?? '',
    kind: asText(value['kind']) ?? '',
    namespace: named(object, metadata, 'namespace'),
    name: named(object, metadata, 'name') ?? named(object, metadata, 'generateName') ?? '',
  }
}

function named(object: SourceObject, holder: Raw, key: string): string | undefined {
  const value = asText(holder[key])
  if (value === undefined || !isUnknown(value)) return value
  const { document } = object
  const path = object.kind === 'values' ? [key] : ['metadata', key]
  const range = findNode(document.nodes(), [...object.path, ...path]).node?.range
  if (!range) return value
  return document.file.text.slice(document.toFile(range[0]), document.toFile(range[1])).replace(/^["']|["']$/g, '')
}
