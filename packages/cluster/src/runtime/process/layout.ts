// The layout of the data directory. The path of a container's directory is also its mark.
// Every process of the container has the mark in its environment. Most have their working directory below it.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerId } from '../runtime.ts'

/** The environment variable with the container's mark. */
export const markName = 'DAYFLY_TOKEN'

export function podDirectory(data: string, pod: string): string {
  return join(data, 'pods', pod)
}

export function containerDirectory(data: string, id: ContainerId): string {
  return join(podDirectory(data, id.pod), `${id.name}.${id.attempt}`)
}

/** Lists the pods that have a directory. */
export function podsIn(data: string): readonly string[] {
  return entriesOf(join(data, 'pods'))
}

/** Lists the directories of a pod's containers as the containers that they belong to. */
export function containersIn(data: string, pod: string): readonly ContainerId[] {
  return entriesOf(podDirectory(data, pod)).flatMap((entry) => {
    const [, name, attempt] = /^([^.]+)\.(\d+)$/.exec(entry) ?? []
    return name === undefined ? [] : [{ pod, name, attempt: Number(attempt) }]
  })
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    // Nothing was ever started here.
    return []
  }
}

/** The directory of the pod's volumes. It cannot collide with a container's directory, whose name contains a dot. */
export function volumesDirectory(data: string, pod: string): string {
  return join(podDirectory(data, pod), 'volumes')
}

/** A second, short path of the container's /tmp, because the path of a Unix socket may have at most 107 characters. */
export function shortTemporary(data: string, directory: string): string {
  return join(data, 't', createHash('sha256').update(directory).digest('hex').slice(0, 10))
}

/** Returns the directory of the container, or of the pod's volumes, that contains `path`; undefined for a path elsewhere. */
export function placeOf(data: string, path: string): string | undefined {
  const prefix = join(data, 'pods/')
  if (!path.startsWith(prefix)) return undefined
  const [pod, place] = path.slice(prefix.length).split('/')
  return pod && place ? `${prefix}${pod}/${place}` : undefined
}
