// Shows an address in the browser of this machine.
import { spawn } from 'node:child_process'
import { printNote } from '@dayfly/command-line/output'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** A machine without a browser is no error: the address is printed anyway. */
export function openInBrowser(address: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' })
  child.on('error', () => printNote(`This machine has no program to open the page: open ${address} by hand.`))
  child.unref()
}
