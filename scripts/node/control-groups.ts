// Control groups of the node's own: a kubelet ends what it does not know below its root, and the machine's may hold another node's pods.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const top = '/sys/fs/cgroup'

/** One in each hierarchy: of version 2 there is one, of version 1 one a controller. */
export async function makeControlGroups(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await mkdir(path.join(hierarchy, name))
}

/** Once their processes have ended, or are about to. */
export async function removeControlGroups(name: string): Promise<void> {
  for (const hierarchy of await hierarchies()) await removeTree(path.join(hierarchy, name))
}

async function hierarchies(): Promise<readonly string[]> {
  if (existsSync(path.join(top, 'cgroup.controllers'))) return [top]
  const entries = await readdir(top, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? path.join(top, entry.name) : []))
}

/** A group is a folder whose files go with it. */
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
