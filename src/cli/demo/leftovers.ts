// What a demo has left behind, once everything should be gone: looked for where it would stand, never inferred.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, markVariable } from './home.ts'
import { findProcesses } from './processes.ts'

/** Names of what is left, for people to find it. */
export type Leftovers = {
  readonly pods: readonly string[]
  readonly secrets: readonly string[]
  readonly registrations: readonly string[]
  readonly processes: readonly string[]
  readonly directories: readonly string[]
}

/** What can be asked of the cluster and of the forge. */
export type Witnesses = {
  /** Names of all pods, in every namespace. */
  pods(): readonly string[]
  /** Names of all secrets but those the demo's own set-up made. */
  secrets(): readonly string[]
  /** Names of all runners registered at the forge. */
  registrations(): readonly string[]
}

/** @param ancestor the process whose descendants all count as the demo's; itself it does not count. */
export function findLeftovers(witnesses: Witnesses, home: Home, ancestor: number): Leftovers {
  const processes = findProcesses({ directory: home.cluster, variable: markVariable, ancestor })
  return {
    pods: witnesses.pods(),
    secrets: witnesses.secrets(),
    registrations: witnesses.registrations(),
    processes: processes.map(({ pid, command, by }) => `${pid} ${command} (found by its ${by})`),
    directories: podDirectories(home),
  }
}

export function isClean(leftovers: Leftovers): boolean {
  return Object.values(leftovers).every((names) => names.length === 0)
}

/** One line for each thing that is left. */
export function describeLeftovers(leftovers: Leftovers): readonly string[] {
  return Object.entries(leftovers).flatMap(([kind, names]) => names.map((name) => `left behind: ${kind}: ${name}`))
}

/** Whatever stands where pods have their directories. */
function podDirectories(home: Home): string[] {
  const pods = join(home.cluster, 'pods')
  return existsSync(pods) ? readdirSync(pods).map((name) => join(pods, name)) : []
}
