// Finds containers that run the daemon of a container engine. Such a daemon never ends by itself.
import { textsAt } from '@dayfly/kit/read-json'
import {
  type Engine,
  engineOfImage,
  engineOfProgram,
  imageParts,
  namesDind,
} from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, Daemon, PodView } from '../pod-view.ts'
import { commandsOf } from '../read/shell/commands.ts'
import { isUnknown } from '../read/template/template-value.ts'
import { endsItself, isEndedBySibling } from './endings.ts'

/** A pod before its daemons are known. */
type Seen = Omit<PodView, 'daemons'>

/** Returns the daemon that the container runs. Undefined also for the runner itself, and for a daemon that a script ends with the work. */
export function daemonOf(container: ContainerView, pod: PodView): Daemon | undefined {
  return pod.daemons.get(container)
}

/** Finds all daemons once, for the pod's view, because many rules need them. */
export function findDaemons(pod: Seen): PodView['daemons'] {
  const found = new Map<ContainerView, Daemon>()
  for (const container of pod.containers) {
    const daemon = recognise(container, pod)
    if (daemon) found.set(container, daemon)
  }
  return found
}

function recognise(container: ContainerView, pod: Seen): Daemon | undefined {
  if (container.name === pod.runner) return undefined
  const engine = surelyEngine(container)
  const isLikely = () =>
    saysDind(container) ||
    hasTemplatedImage(container) ||
    isUnknownHelper(container, pod) ||
    sharesSocket(container, pod)
  if (engine === undefined && !isLikely()) return looksLikeBuildkit(container, pod)
  if (isEndedBySibling(container, pod, engine ?? 'docker')) return undefined
  return engine === undefined ? { engine: 'docker', confidence: 'medium' } : { engine, confidence: 'high' }
}

/** Recognizes a BuildKit daemon in an image with another name by the daemon's own flags. */
function looksLikeBuildkit(container: ContainerView, pod: Seen): Daemon | undefined {
  if (textsAt(container.raw, 'command').length > 0 || !runsItsOwn(container)) return undefined
  // The client has the same flag for the address, and a subcommand.
  if (container.words.some((word) => /^(build|du|prune|debug|dial-stdio)$/.test(word))) return undefined
  const flags = container.words.join(' ').slice(0, 10_000)
  const isLikely = /(^| )--oci-worker|--(addr|config)[= ]\S*buildkitd?\b/.test(flags)
  return isLikely && !isEndedBySibling(container, pod, 'buildkit')
    ? { engine: 'buildkit', confidence: 'medium' }
    : undefined
}

function surelyEngine(container: ContainerView): Engine | undefined {
  return startedEngine(container) ?? imageEngine(container)
}

/** Returns the words of a container, cut to the length that is read. */
export function scriptsOf(container: ContainerView): readonly string[] {
  return container.words.map((word) => word.slice(0, 10_000))
}

function startedEngine(container: ContainerView): Engine | undefined {
  if (!container.words.some((word) => /dockerd|buildkitd|podman/.test(word))) return undefined
  const commands = commandsOf(container)
  const started = commands.filter((command) => !command.limited && engineOfProgram(command.words) !== undefined)
  const [first] = started
  return first && !endsItself(commands, started) ? engineOfProgram(first.words) : undefined
}

/** Whether the container's script surely starts Docker, alone or beside its work. */
export function startsDocker(container: ContainerView): boolean {
  if (!container.words.some((word) => word.includes('dockerd'))) return false
  return commandsOf(container).some((command) => !command.conditional && engineOfProgram(command.words) === 'docker')
}

/** An engine's own image runs the engine unless the container overrides it. */
function imageEngine(container: ContainerView): Engine | undefined {
  const isOwn = textsAt(container.raw, 'command').length === 0 && runsItsOwn(container)
  return isOwn ? engineOfImage(container.image) : undefined
}

/**
 * Whether the image's name contains "dind". It may be a tool for Docker in Docker.
 * A runner with an engine inside does not count, nor does an unprivileged init container.
 */
function saysDind(container: ContainerView): boolean {
  const { name } = imageParts(container.image)
  if (!namesDind(name) || /runner|agent/.test(name) || (container.role === 'init' && !container.privileged))
    return false
  return textsAt(container.raw, 'command').length === 0 && runsItsOwn(container)
}

/** Whether the arguments are only flags. */
function runsItsOwn({ raw }: ContainerView): boolean {
  const [first] = textsAt(raw, 'args')
  return first === undefined || first.startsWith('-')
}

const usualNames = /^(docker|dind|docker-dind|docker-daemon|dockerd)$/

/** Matches `{{ registry }}/{{ name }}:27-dind`: the template hides the name, but the tag shows the engine. */
function hasTemplatedImage({ image, name, privileged, words }: ContainerView): boolean {
  const parts = imageParts(image)
  return privileged && usualNames.test(name) && words.length === 0 && isUnknown(parts.name) && namesDind(parts.tag)
}

/** Recognizes an engine beside a known runner by its name, if a variable or a template hides the whole image. */
function isUnknownHelper({ image, name, privileged, role, words }: ContainerView, { isRunner }: Seen): boolean {
  return (
    isRunner &&
    role !== 'init' &&
    privileged &&
    helperNames.test(name) &&
    words.length === 0 &&
    isUnknown(imageParts(image).name)
  )
}

const helperNames = /^(docker|dind|docker-in-docker)$/

const socketFolders = /^(\/var)?\/run(\/docker(\.sock)?)?\/?$/

/** Recognizes an engine by its name, or by Docker's data beside the socket if no other container surely runs Docker. */
function sharesSocket(container: ContainerView, pod: Seen): boolean {
  if (!container.privileged || container.words.length > 0) return false
  const isSure = pod.containers.some((other) => surelyEngine(other) === 'docker')
  const keepsData = '/var/lib/docker' in container.mounts && !isSure
  if (!usualNames.test(container.name) && !keepsData) return false
  const shared = Object.entries(container.mounts).filter(([path]) => socketFolders.test(path))
  return shared.some(([, volume]) => {
    const source = pod.volumes.find((each) => each.name === volume)?.raw
    if (source && 'hostPath' in source) return false
    return pod.containers.some((other) => other !== container && Object.values(other.mounts).includes(volume))
  })
}
