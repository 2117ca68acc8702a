// Checks the needs of a real node on its machine: root, a static busybox, systemd-logind, namespaces, overlay mounts, bridges and writable control groups.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { busDaemon, logind } from './logind.ts'

/** This machine cannot run a node. The message says what it lacks. */
export class Obstacle extends Error {}

/** The arguments of unshare for the namespaces of a run. */
export const namespaces = ['--net', '--pid', '--mount', '--ipc', '--fork', '--kill-child', '--mount-proc']

const run = promisify(execFile)

/** Returns the path of a static busybox. Throws an `Obstacle` if there is none. */
export async function findBusybox(): Promise<string> {
  const program = (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => path.join(folder, 'busybox'))
    .find(existsSync)
  if (program === undefined) throw new Obstacle('busybox is missing (Debian: busybox-static)')
  // A dynamically linked program contains the path of its loader.
  if (!(await readFile(program)).includes('/ld-')) return program
  throw new Obstacle(`${program} is dynamically linked, but pods need a static one (Debian: busybox-static)`)
}

/** Throws an `Obstacle` if a program is missing that announces the shutdown of a machine. */
export function checkLogind(): void {
  if (!existsSync(busDaemon)) throw new Obstacle(`${busDaemon} is missing (Debian: dbus)`)
  if (!existsSync(logind)) throw new Obstacle(`${logind} is missing (Debian: systemd)`)
}

/** The features of the kernel that the node uses, each as a script that fails without it. */
const features = {
  'a network bridge in a network namespace': 'ip link add dayfly0 type bridge && ip link set dayfly0 up',
  'pairs of virtual network interfaces': 'ip link add dayfly1 type veth peer name dayfly2',
  'mounts of overlay file systems':
    'mount -t tmpfs tmpfs /mnt && cd /mnt && mkdir a b c d && mount -t overlay overlay -o lowerdir=a,upperdir=b,workdir=c d',
  'writable control groups':
    'for at in /sys/fs/cgroup /sys/fs/cgroup/memory; do mkdir $at/dayfly-check && rmdir $at/dayfly-check && exit; done; false',
}

/** Throws an `Obstacle` if this process is not root, or if the kernel or its supervisor forbids what a node does. */
export async function checkKernel(signal: AbortSignal): Promise<void> {
  if (process.getuid?.() !== 0) throw new Obstacle('only root can start a node')
  for (const [feature, script] of Object.entries({ namespaces: 'true', ...features })) {
    await run('unshare', [...namespaces, 'sh', '-c', script], { signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
      if (code === 'ENOENT') throw new Obstacle('unshare is missing (Debian: util-linux)')
      throw new Obstacle(`this machine does not allow ${feature}: ${stderr.trim().split('\n').at(-1)}`)
    })
  }
}
