// The facts of a container that a later process needs, beyond the files of its shim.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '@dayfly/kit/clock'
import { areMounted } from './mounts.ts'

export type Settings = {
  readonly startedAt: Instant
  readonly workingDirectory: string
  /** The main process gets only signals that it handles. */
  readonly isFirstProcess: boolean
  /** The container has a mount namespace of its own. */
  readonly hasMounts: boolean
}

/** Call it before the container starts. */
export function keepSettings(directory: string, settings: Settings): void {
  writeFileSync(join(directory, 'settings'), JSON.stringify(settings), { mode: 0o600 })
}

/** Reads the settings of a container whose shim has begun. A machine that lost its power may have lost them. */
export function keptSettings(directory: string): Settings {
  try {
    return JSON.parse(readFileSync(join(directory, 'settings'), 'utf8')) as Settings
  } catch {
    const startedAt = Math.floor(statSync(join(directory, 'shim')).mtimeMs)
    const workingDirectory = join(directory, 'root')
    return { startedAt, workingDirectory, isFirstProcess: false, hasMounts: areMounted(directory) }
  }
}
