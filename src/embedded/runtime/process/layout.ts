// Where everything of a pod stands below the data directory. The container's directory is also its mark: every process of it
// carries the path in its environment, and most stand below it with their working directory.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ContainerId } from '../runtime.ts'

/** The variable by which a container's processes are known. */
export const markName = 'DAYFLY_TOKEN'

export function podDirectory(data: string, pod: string): string {
  return join(data, 'pods', pod)
}

export function containerDirectory(data: string, id: ContainerId): string {
  return join(podDirectory(data, id.pod), `${id.name}.${id.attempt}`)
}

/** No container's directory can have this name: theirs contain a dot. */
export function volumesDirectory(data: string, pod: string): string {
  return join(podDirectory(data, pod), 'volumes')
}

/** A second, short name for the container's own /tmp: what programs put a socket into may have no more than 107 characters. */
export function shortTemporary(data: string, directory: string): string {
  return join(data, 't', createHash('sha256').update(directory).digest('hex').slice(0, 10))
}

/** The directory of the container, or of the pod's volumes, in which `path` stands; undefined for a path elsewhere. */
export function placeOf(data: string, path: string): string | undefined {
  const prefix = join(data, 'pods/')
  if (!path.startsWith(prefix)) return undefined
  const [pod, place] = path.slice(prefix.length).split('/')
  return pod && place ? `${prefix}${pod}/${place}` : undefined
}
