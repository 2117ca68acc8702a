// A system bus and a real systemd-logind in the namespaces of the node. A kubelet learns from them that its machine shuts down.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Components, createComponents } from '../control-plane/components.ts'

export const busDaemon = '/usr/bin/dbus-daemon'
export const logind = '/lib/systemd/systemd-logind'

const run = promisify(execFile)
const address = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const

/** Resolves when logind answers. A kubelet connects to it only as it starts. @param folder for the logs */
export async function startLogind(folder: string, signal: AbortSignal): Promise<Pick<Components, 'end'>> {
  const components = createComponents(folder)
  await mkdir('/run/dbus', { recursive: true })
  await mkdir('/run/systemd', { recursive: true })
  const bus = ['--system', '--nofork', '--nopidfile', '--address=unix:path=/run/dbus/system_bus_socket']
  components.start('dbus', [busDaemon, ...bus])
  await components.until(() => succeeds('busctl', 'list'), signal)
  components.start('logind', [logind])
  await components.until(() => succeeds('busctl', 'get-property', ...address, 'InhibitDelayMaxUSec'), signal)
  return components
}

/** Returns the programs that hold up a shutdown, as logind lists them. */
export async function inhibitors(): Promise<string> {
  return (await run('busctl', ['call', ...address, 'ListInhibitors'])).stdout
}

/**
 * Sends the signal with which logind announces a shutdown, or its end.
 * logind itself sends it only if the first process of the machine is a systemd that can shut it down.
 */
export async function announceShutdown(isBeginning: boolean): Promise<void> {
  const [, ...place] = address
  await run('busctl', ['emit', ...place, 'PrepareForShutdown', 'b', String(isBeginning)])
}

function succeeds(program: string, ...args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  )
}
