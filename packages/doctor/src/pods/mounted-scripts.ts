// Finds the files that containers mount from ConfigMaps of the same input.
import { isJsonObject, type JsonObject, listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import type { ContainerView, PodView } from '../pod-view.ts'

/** Returns the text of the file that a container sees at a path; undefined if the input does not have it. */
export type FileAt = (container: ContainerView, path: string) => string | undefined

/** Returns the reader of the files that the containers of a pod mount from ConfigMaps. */
export function mountedFiles(
  volumes: PodView['volumes'],
  namespace: string | undefined,
  configMaps: ConfigMaps,
): FileAt {
  return (container, path) => {
    for (const mount of listAt(container.raw, 'volumeMounts')) {
      const file = fileIn(mount, path)
      const volume = file && volumes.find(({ name }) => name === textAt(mount, 'name'))
      const text = volume && textOf(volume.raw, file, namespace, configMaps)
      if (text !== undefined) return text
    }
    return undefined
  }
}

/** Returns the file's name in the volume; undefined if the mount does not hold the path. */
function fileIn(mount: unknown, path: string): string | undefined {
  const at = textAt(mount, 'mountPath')?.replace(/\/$/, '')
  const subPath = textAt(mount, 'subPath')
  if (at === undefined) return undefined
  if (path === at) return subPath
  if (!path.startsWith(`${at}/`)) return undefined
  const inside = path.slice(at.length + 1)
  return subPath === undefined ? inside : `${subPath}/${inside}`
}

function textOf(
  volume: JsonObject,
  file: string,
  namespace: string | undefined,
  configMaps: ConfigMaps,
): string | undefined {
  const sources = [volume, ...listAt(volume, 'projected', 'sources')]
  for (const source of sources) {
    const name = textAt(source, 'configMap', 'name')
    if (name === undefined) continue
    const items = listAt(source, 'configMap', 'items')
    const item = items.find((each) => textAt(each, 'path') === file)
    const key = items.length === 0 ? file : textAt(item, 'key')
    const text = key === undefined ? undefined : configMaps(name, key, namespace)
    if (text !== undefined) return text
  }
  return undefined
}

/** Returns the value of a key; undefined if the input does not have it, or has several that differ. */
export type ConfigMaps = (name: string, key: string, namespace: string | undefined) => string | undefined

export function configMapsIn(objects: readonly ObjectFact[]): ConfigMaps {
  const byName = new Map<string, ObjectFact[]>()
  for (const fact of objects) {
    if (fact.object.kind !== 'ConfigMap') continue
    byName.set(fact.object.name, [...(byName.get(fact.object.name) ?? []), fact])
  }
  return (name, key, namespace) => {
    const near = (byName.get(name) ?? []).filter(
      ({ object }) => (object.namespace ?? namespace) === (namespace ?? object.namespace),
    )
    const texts = new Set(near.map(({ raw }) => valueIn(raw, key)))
    const [text] = texts
    return texts.size === 1 ? text : undefined
  }
}

function valueIn(raw: JsonObject, key: string): string | undefined {
  const data = valueAt(raw, 'data')
  const text = isJsonObject(data) && Object.hasOwn(data, key) ? data[key] : undefined
  return typeof text === 'string' ? text : undefined
}
