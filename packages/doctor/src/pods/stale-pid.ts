// Finds Docker daemons that keep their pid files in a volume. A container that starts again finds them and refuses to start.
import { textsAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView } from '../pod-view.ts'
import { commandsOf, programOf } from '../read/shell/commands.ts'
import { scriptsOf } from './daemon.ts'

type StalePid = {
  /** The folder of the volume that keeps the pid files. */
  readonly folder: string
  /** `medium`: the image's entry point starts the daemon, and it may delete the files first. */
  readonly confidence: 'high' | 'medium'
}

/** Undefined if the pid files do not outlive the container, or if something deletes them before the daemon starts. */
export function stalePid(container: ContainerView): StalePid | undefined {
  const folder = Object.keys(container.mounts).find((path) => /^(\/var)?\/run\/?$/.test(path))
  const confidence = directStart(container)
  if (folder === undefined || confidence === undefined || avoidsStaleFiles(container)) return undefined
  return { folder, confidence }
}

/**
 * How certainly the container starts dockerd itself. The entry point of Docker's own image deletes `docker*.pid` before dockerd, but only
 * if dockerd is its first argument, or a flag is.
 */
function directStart(container: ContainerView): StalePid['confidence'] | undefined {
  const command = textsAt(container.raw, 'command')
  const { words } = container
  if (!words.some((word) => /(^|[\s/])dockerd(\s|$)/.test(word)) || words.join(' ').includes('entrypoint'))
    return undefined
  if (command.length > 0) return 'high'
  if (programOf({ words }) !== 'dockerd') return commandsOf(container).some(isDockerd) ? 'high' : undefined
  const { name, tag } = imageParts(container.image)
  return /docker|dind/.test(`${name} ${tag}`) ? undefined : 'medium'
}

function isDockerd(command: { readonly words: readonly string[] }): boolean {
  return programOf(command) === 'dockerd'
}

function avoidsStaleFiles(container: ContainerView): boolean {
  const words = scriptsOf(container).join(' ').slice(0, 10_000)
  const isOutsideRun = (flag: string) => new RegExp(`--${flag}[= ](?!(/var)?/run/)\\S`).test(words)
  return (isOutsideRun('pidfile') && isOutsideRun('exec-root')) || /\brm\b[^;&|]*\.pid|-delete\b/.test(words)
}
