// Finds where a Docker daemon stores its data: as root, or rootless in the home directory of its user.
import { textsAt, valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'
import { daemonOf, startsDocker } from './daemon.ts'
import type { FileAt } from './mounted-scripts.ts'

/** The data root of a rootless daemon in Docker's own image: it is in the home directory of the daemon's user. */
const rootlessRoot = '/home/rootless/.local/share/docker'

/** Returns the folder of images and layers; undefined if a variable, a file that the input lacks, or a mount made by the script decides it. */
export function dockerRoot(container: ContainerView, pod: PodView, fileAt: FileAt): string | undefined {
  const commands = commandsOf(container)
  const file = configurationFile(commands)
  const configuration = fileAt(container, file)
  const written =
    commands.map(({ words }) => flagIn(words, /^(--data-root|--graph|-g)(=|$)/)).find((root) => root !== undefined) ??
    [...container.words, configuration ?? ''].map(rootInFile).find(Boolean)
  if (written !== undefined) return written.includes('$') ? undefined : written.replace(/(?<=.)\/+$/, '')
  if (configuration === undefined && mayMoveRoot(container, pod, file)) return undefined
  const root = isRootless(container, pod) ? rootlessRootIn(container) : '/var/lib/docker'
  return commands.some((command) => replaces(command, root)) ? undefined : root
}

/** Returns the value of a flag of the daemon: `--data-root=/x` or `--data-root /x`. */
function flagIn(words: readonly string[], flag: RegExp): string | undefined {
  const at = words.findIndex((word) => flag.test(word))
  if (at < 0 || !words.some((word) => /(^|\/)dockerd|^--/.test(word))) return undefined
  const [, value] = /^[^=]+=(.*)$/.exec(words[at] ?? '') ?? []
  return value ?? words[at + 1]
}

function configurationFile(commands: readonly Command[]): string {
  const written = commands.map(({ words }) => flagIn(words, /^--config-file(=|$)/)).find((file) => file !== undefined)
  return written ?? '/etc/docker/daemon.json'
}

/** A configuration that the input lacks can only name a volume that no other container of the pod mounts. */
function mayMoveRoot(container: ContainerView, pod: PodView, file: string): boolean {
  const settings = foldersOf(file)
    .map((path) => container.mounts[path])
    .find(Boolean)
  const others = pod.containers.filter((each) => each !== container).flatMap(({ mounts }) => Object.values(mounts))
  const own = Object.values(container.mounts).filter((name) => name !== settings && !others.includes(name))
  return settings !== undefined && own.length > 0
}

/** Returns the path and the folders around it, innermost first, without the root of the file system. */
export function foldersOf(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '')
  return names.map((_, index) => `/${names.slice(0, names.length - index).join('/')}`)
}

/** The daemon's configuration file, or a script that writes it. */
function rootInFile(text: string): string | undefined {
  return /\\?"data-root\\?"\s*:\s*\\?"([^"\\]{1,500})\\?"/.exec(text)?.[1]
}

/** The script puts another file system, or a link, in the place of the folder. */
function replaces(command: Command, root: string): boolean {
  return (
    /^(mount|ln|losetup)$/.test(programOf(command)) && command.words.some((word) => word.replace(/\/+$/, '') === root)
  )
}

export function isRootless({ image, words, mounts, raw }: ContainerView, pod: PodView): boolean {
  const user =
    valueAt(raw, 'securityContext', 'runAsUser') ?? valueAt(pod.raw, ...pod.path, 'securityContext', 'runAsUser')
  return (
    /rootless/.test(imageParts(image).tag) ||
    words.some((word) => /dockerd-rootless/.test(word)) ||
    rootlessRoot in mounts ||
    (typeof user === 'number' && user > 0)
  )
}

/** Returns the data root in the mounted home directory of any user. */
function rootlessRootIn({ mounts }: ContainerView): string {
  const home = Object.keys(mounts).find((path) => /^\/home\/[^/]+\/?$/.test(path))
  return home === undefined ? rootlessRoot : `${home.replace(/\/$/, '')}/.local/share/docker`
}

/** Without a runner or a job, the shape of a container proves too little: the daemon must show in its image or command. */
export function runsDocker(container: ContainerView, pod: PodView): boolean {
  const daemon = daemonOf(container, pod)
  if (!daemon) return container.name === pod.runner && hasEngineInside(container)
  return daemon.engine === 'docker' && (pod.isRunner || pod.runsToCompletion || daemon.confidence === 'high')
}

/**
 * Whether the runner's own container has Docker inside. Gitea's and Forgejo's runners have images with Docker's own image below them:
 * `gitea/act_runner:0.2.13-dind-rootless`. Or the script that starts the runner starts Docker first.
 */
function hasEngineInside(container: ContainerView): boolean {
  const { image, raw, added, privileged } = container
  // The older ARC adds a privileged runner only if it is to have Docker inside.
  if (startsDocker(container) || (added !== undefined && privileged)) return true
  const { name, tag } = imageParts(image)
  const isRunner =
    /^(act[_-]runner|forgejo-runner|gitea-runner)$/.test(name) || /(gitea|forgejo)\/runner:/.test(image ?? '')
  return isRunner && /(^|-)dind(-|$)/.test(tag) && textsAt(raw, 'command').length === 0
}
