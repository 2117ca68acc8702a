// Finds what a demo has left behind. It looks for each leftover directly and infers none.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, markVariable } from '@dayfly/cluster/command/home'
import { findProcesses } from '@dayfly/cluster/command/processes'

/** The names of all leftovers, by kind. */
export type Leftovers = {
  readonly pods: readonly string[]
  readonly secrets: readonly string[]
  readonly registrations: readonly string[]
  readonly processes: readonly string[]
  readonly directories: readonly string[]
}

/** Lists the objects of the demo's cluster and forge. */
export type LeftoverSources = {
  /** Returns the names of all pods in every namespace. */
  pods(): readonly string[]
  /** Returns the names of all Secrets, without those that the demo's set-up created. */
  secrets(): readonly string[]
  /** Returns the names of all runners registered at the forge. */
  registrations(): readonly string[]
}

/** Finds all leftovers. @param ancestor a process whose descendants all belong to the demo. The process itself does not count. */
export function findLeftovers(sources: LeftoverSources, home: Home, ancestor: number): Leftovers {
  const processes = findProcesses({ directory: home.cluster, variable: markVariable, ancestor })
  return {
    pods: sources.pods(),
    secrets: sources.secrets(),
    registrations: sources.registrations(),
    processes: processes.map(({ pid, command, by }) => `${pid} ${command} (found by its ${by})`),
    directories: podDirectories(home),
  }
}

export function isClean(leftovers: Leftovers): boolean {
  return Object.values(leftovers).every((names) => names.length === 0)
}

/** Returns one line for each leftover. */
export function describeLeftovers(leftovers: Leftovers): readonly string[] {
  return Object.entries(leftovers).flatMap(([kind, names]) => names.map((name) => `left behind: ${kind}: ${name}`))
}

/** Returns everything in the folder of the pods' directories. */
function podDirectories(home: Home): string[] {
  const pods = join(home.cluster, 'pods')
  return existsSync(pods) ? readdirSync(pods).map((name) => join(pods, name)) : []
}
