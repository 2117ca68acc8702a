// Creates control groups for the node. A kubelet kills unknown processes below its root group, so it must not share the machine's root group.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const top = '/sys/fs/cgroup'

/**
 * Creates a group with these subgroups in each hierarchy. Control groups of version 2 have one hierarchy, those of version 1 have one for each
 * controller.
 */
export async function makeControlGroups(name: string, subgroups: readonly string[]): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    for (const subgroup of subgroups) await mkdir(path.join(hierarchy, name, subgroup), { recursive: true })
  }
}

/** Removes the groups. Their processes must have ended or be about to end. */
export async function removeControlGroups(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await removeTree(path.join(hierarchy, name))
}

async function hierarchies(): Promise<readonly string[]> {
  if (existsSync(path.join(top, 'cgroup.controllers'))) return [top]
  const entries = await readdir(top, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? path.join(top, entry.name) : []))
}

/** Removes a group and its subgroups. The files of a group disappear with its folder. */
async function removeTree(group: string): Promise<void> {
  if (!existsSync(group)) return
  for (const entry of await readdir(group, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(path.join(group, entry.name))
  }
  for (let tries = 50; ; tries--) {
    try {
      return await rmdir(group)
    } catch (error) {
      if (tries === 0) throw error
      await sleep(100)
    }
  }
}
