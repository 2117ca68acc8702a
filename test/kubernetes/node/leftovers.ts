// Finds the remains of runners on the real node: pods, Secrets, processes and control groups, besides registrations at the forge.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { labels } from '@dayfly/runner-set/core/pod'
import { pods, secrets } from '../client-place.ts'
import { nodeOfRun } from './images.ts'
import type { Node } from './open-node.ts'
import type { OutsideForge } from './outside-forge.ts'

export type Leftovers = {
  readonly pods: readonly string[]
  readonly secrets: readonly string[]
  readonly registrations: readonly string[]
  /** The control groups of the pods. A control group of a pod goes only after its last process. */
  readonly groups: readonly string[]
  /** The processes in the control groups of the pods. */
  readonly processes: readonly string[]
}

export const none: Leftovers = { pods: [], secrets: [], registrations: [], groups: [], processes: [] }

/** Reads what is left of the runners whose names begin with the prefix. @param uids of all their pods */
export async function leftoversIn(
  node: Node,
  namespace: string,
  uids: ReadonlySet<string>,
  forge: OutsideForge,
  prefix: string,
): Promise<Leftovers> {
  const ofRunners = { namespace, labelSelector: labels.runner }
  const names = async (resource: typeof pods) =>
    (await node.kubernetes.list(resource, ofRunners)).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith(prefix))
  return {
    pods: await names(pods),
    secrets: await names(secrets),
    registrations: forge.registered(prefix),
    groups: groupsOf(uids),
    processes: processesInGroups((groups) => uids.has(/pod([0-9a-f-]{36})/.exec(groups)?.[1] ?? '')).map(
      ({ pid, command }) => `${pid} ${command}`,
    ),
  }
}

/** Returns the control groups that the kubelet made for these pods. */
function groupsOf(uids: ReadonlySet<string>): readonly string[] {
  const name = path.basename(nodeOfRun().run)
  const found: string[] = []
  const visit = (folder: string) => {
    for (const entry of foldersIn(folder)) {
      const uid = /pod([0-9a-f-]{36})$/.exec(entry)?.[1]
      if (uid === undefined) visit(path.join(folder, entry))
      else if (uids.has(uid)) found.push(path.join(folder, entry))
    }
  }
  for (const hierarchy of foldersIn('/sys/fs/cgroup')) visit(path.join('/sys/fs/cgroup', hierarchy, name))
  visit(path.join('/sys/fs/cgroup', name))
  return found
}

/** Returns the processes in the matching control groups. The text has one line for each hierarchy. */
export function processesInGroups(isIn: (groups: string) => boolean) {
  return foldersIn('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || !isIn(textOf(`/proc/${pid}/cgroup`))) return []
    return [{ pid: Number(pid), command: textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }]
  })
}

/** Returns nothing for a folder that has disappeared. */
function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
