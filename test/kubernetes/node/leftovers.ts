// Finds the remains of runners on the real node: pods, Secrets, processes and control groups, besides registrations at the forge.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { textAt } from '@dayfly/kit/read-json'
import { labels } from '@dayfly/runner-set/core/pod'
import { pods, secrets } from '../client-place.ts'
import { nodeOfRun } from './images.ts'
import type { Node } from './open-node.ts'

const run = promisify(execFile)

export type Leftovers = {
  readonly pods: readonly string[]
  readonly secrets: readonly string[]
  readonly registrations: readonly string[]
  /** The control groups of the pods. A control group of a pod goes only after its last process. */
  readonly groups: readonly string[]
  /** The processes in the control groups of the pods. */
  readonly processes: readonly string[]
}

/** A forge that lists its registrations of runners. */
type RunnerRegistry = {
  /** Names the registrations that begin with this text. */
  registered(prefix: string): readonly string[] | Promise<readonly string[]>
}

export const none: Leftovers = { pods: [], secrets: [], registrations: [], groups: [], processes: [] }

/** Reads what is left of the runners whose names begin with the prefix. @param uids of all their pods */
export async function leftoversIn(
  node: Node,
  namespace: string,
  uids: ReadonlySet<string>,
  forge: RunnerRegistry,
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
    registrations: await forge.registered(prefix),
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

/** Returns the shims of sandboxes whose pod is gone. A static pod has the hash of its file as UID in containerd. */
export async function orphanShims({ kubernetes }: Node): Promise<readonly string[]> {
  const socket = path.join(nodeOfRun().run, 'containerd.sock')
  const sandboxes = foldersIn('/proc').flatMap((pid) => {
    const words = textOf(`/proc/${pid}/cmdline`).split('\0')
    const after = (flag: string) => words[words.indexOf(flag) + 1] ?? ''
    return words[0]?.endsWith('containerd-shim-runc-v2') && after('-address') === socket ? [after('-id')] : []
  })
  const labelled = sandboxes.map(async (id) => {
    const text = await run('ctr', ['-a', socket, '-n', 'k8s.io', 'containers', 'info', id]).then(
      ({ stdout }) => stdout,
      () => '{}',
    )
    return { id, uid: textAt(JSON.parse(text), 'Labels', 'io.kubernetes.pod.uid') }
  })
  const found = await Promise.all(labelled)
  const { items } = await kubernetes.list(pods)
  const uids = new Set(
    items.flatMap(({ metadata }) => [metadata.uid, metadata.annotations?.['kubernetes.io/config.hash']]),
  )
  return found.filter(({ uid }) => !uids.has(uid)).map(({ id, uid }) => `${id} of pod ${uid}`)
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
