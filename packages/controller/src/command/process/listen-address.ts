// The address of a server of the controller, as an option writes it.
import { isIPv6 } from 'node:net'
import { CliFailure } from '@dayfly/command-line/failure'

export type ListenAddress = { readonly host: string; readonly port: number }

/** Parses `HOST:PORT`. An IPv6 host may lack its brackets, because a manifest can only write `$(POD_IP):8080`. Returns undefined for `off`. */
export function listenAddress(option: string, text: string): ListenAddress | undefined {
  if (text === 'off') return undefined
  const [, six, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]/\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = six ?? plain
  const port = Number(digits)
  const isHost = host !== undefined && (!host.includes(':') || isIPv6(host))
  if (isHost && port <= 65_535) return { host, port }
  throw new CliFailure({
    code: 'usage',
    sentence: `${option} must be HOST:PORT or off, not "${text}".`,
    next: `Use for example ${option} 0.0.0.0:8080 in a pod, or 127.0.0.1:0 for any free port.`,
  })
}
