// Finds where a Docker daemon stores its data: as root, or rootless in the home directory of its user.
import { valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'
import type { FileAt } from './mounted-scripts.ts'

/** The data root of a rootless daemon in Docker's own image: it is in the home directory of the daemon's user. */
const rootlessRoot = '/home/rootless/.local/share/docker'

/** Returns the folder of images and layers; undefined if a variable or a mount made by the script decides it. */
export function dockerRoot(container: ContainerView, pod: PodView, fileAt: FileAt): string | undefined {
  const commands = commandsOf(container)
  const written =
    commands.map(({ words }) => rootIn(words)).find((root) => root !== undefined) ??
    [...container.words, fileAt(container, '/etc/docker/daemon.json') ?? ''].map(rootInFile).find(Boolean)
  if (written !== undefined) return written.includes('$') ? undefined : written.replace(/(?<=.)\/+$/, '')
  const root = isRootless(container, pod) ? rootlessRootIn(container) : '/var/lib/docker'
  return commands.some((command) => replaces(command, root)) ? undefined : root
}

/** `--data-root=/x`, `--data-root /x`, and the older `--graph` and `-g`. */
function rootIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^(--data-root|--graph|-g)(=|$)/.test(word))
  if (at < 0 || !words.some((word) => /(^|\/)dockerd|^--/.test(word))) return undefined
  const [, value] = /^[^=]+=(.*)$/.exec(words[at] ?? '') ?? []
  return value ?? words[at + 1]
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
