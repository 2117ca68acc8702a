// Names an object of a file. A name that a template computes is shown as the template writes it.
import { fieldsAt, type JsonObject, textAt } from '@dayfly/kit/read-json'
import { valuesVersion } from '../../chart-kinds.ts'
import type { ObjectRef } from '../../finding.ts'
import { isUnknown } from '../template/template-value.ts'
import { findNode } from '../yaml/nodes.ts'
import type { SourceObject } from './document.ts'

export function refOf(object: SourceObject): ObjectRef {
  const { value, kind } = object
  if (kind === 'values') {
    const name = named(object, value, 'runnerScaleSetName')
    return { apiVersion: valuesVersion, kind: 'Values', namespace: undefined, name: name ?? '' }
  }
  if (kind === 'charts') {
    return { apiVersion: valuesVersion, kind: 'Charts', namespace: undefined, name: textAt(value, 'name') ?? '' }
  }
  if (kind === 'podSpec') return { apiVersion: valuesVersion, kind: 'PodSpec', namespace: undefined, name: '' }
  if (kind === 'garm') return { apiVersion: valuesVersion, kind: 'GARM', namespace: undefined, name: '' }
  const metadata = fieldsAt(value, 'metadata') ?? {}
  return {
    apiVersion: textAt(value, 'apiVersion') ?? '',
    kind: textAt(value, 'kind') ?? '',
    namespace: named(object, metadata, 'namespace'),
    name: named(object, metadata, 'name') ?? named(object, metadata, 'generateName') ?? '',
  }
}

function named(object: SourceObject, holder: JsonObject, key: string): string | undefined {
  const value = textAt(holder, key)
  if (value === undefined || !isUnknown(value)) return value
  const { document } = object
  const path = object.kind === 'values' ? [key] : ['metadata', key]
  const range = findNode(document.nodes(), [...object.path, ...path]).node?.range
  if (!range) return value
  return document.file.text.slice(document.toFile(range[0]), document.toFile(range[1])).replace(/^["']|["']$/g, '')
}
