// Finds volumes that are mounted exactly where a Docker daemon creates its socket. Docker removes an old socket first, which no mount allows.
import { fieldsAt, listAt, type Path, textAt } from '@dayfly/kit/read-json'
import type { ContainerView, PodView } from '../pod-view.ts'
import { commandsOf, programOf } from '../read/shell/commands.ts'
import { daemonOf } from './daemon.ts'
import { isRootless } from './docker-root.ts'

type TakenSocket = {
  /** The path of the mount in the manifest. */
  readonly path: Path
  readonly volume: string
  readonly socket: string
  /** Whether the node has something there, such as its own Docker's socket. */
  readonly ofNode: boolean
}

/** Undefined also for a daemon that is only likely, or rootless: its socket is elsewhere. */
export function takenSocket(container: ContainerView, pod: PodView): TakenSocket | undefined {
  const daemon = daemonOf(container, pod)
  if (daemon?.engine !== 'docker' || daemon.confidence !== 'high' || isRootless(container, pod)) return undefined
  const sockets = socketsOf(container).map(normal)
  const mounts = listAt(container.raw, 'volumeMounts')
  const index = mounts.findIndex((mount) => sockets.includes(normal(textAt(mount, 'mountPath') ?? '')))
  const volume = textAt(mounts[index], 'name')
  const socket = textAt(mounts[index], 'mountPath')
  if (volume === undefined || socket === undefined) return undefined
  const source = pod.volumes.find(({ name }) => name === volume)?.raw
  const ofNode = source !== undefined && fieldsAt(source, 'hostPath') !== undefined
  return { path: [...container.path, 'volumeMounts', index], volume, socket, ofNode }
}

const usual = '/var/run/docker.sock'

/** Returns the paths of the sockets that the daemon creates. The entry point of Docker's image adds its own to those of the flags. */
function socketsOf(container: ContainerView): readonly string[] {
  // A script may unmount it, or move the mount away.
  if (container.words.some((word) => word.includes('mount'))) return []
  const command = commandsOf(container).find((each) => programOf(each).startsWith('dockerd'))
  const words = command?.words.slice(1) ?? container.words
  const hosts = words.flatMap((word, index) => hostIn(word, words[index + 1]) ?? [])
  const written = hosts.flatMap((host) => socketIn(host) ?? [])
  if (command && programOf(command) === 'dockerd') return hosts.length === 0 ? [usual] : written
  const isOwn = words[0] === undefined || words[0].startsWith('-') || hosts.length === 0
  return isOwn ? [...written, socketIn(container.env['DOCKER_HOST'] ?? '') ?? usual] : written
}

function hostIn(word: string, next: string | undefined): string | undefined {
  if (word === '-H' || word === '--host') return next
  return /^(?:--host=|-H=?)(.+)$/.exec(word)?.[1]
}

function socketIn(host: string): string | undefined {
  return /^unix:\/\/(\/.+)$/.exec(host)?.[1]
}

/** `/var/run` is a link to `/run`. */
function normal(path: string): string {
  return path.replace(/^\/var\/run\//, '/run/').replace(/\/+$/, '')
}
