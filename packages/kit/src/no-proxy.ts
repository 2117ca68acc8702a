// Decides which servers a client reaches without its proxy. It reads NO_PROXY as Go programs do
// (https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config).
import { BlockList, isIP } from 'node:net'

/** Returns whether an entry of the list names the server of this address. */
export type Bypass = (target: URL) => boolean

/**
 * An entry is `*` for every server, an IP address, a range such as `10.0.0.0/8`, or a domain. `example.com` also names its subdomains,
 * `.example.com` and `*.example.com` name the subdomains alone. A port limits the entry to that port. Any other entry names no server.
 */
export function bypassOf(entries: readonly string[]): Bypass {
  const rules = entries.map((entry) => entry.trim().toLowerCase()).map(ruleOf)
  return (target) => {
    const place = placeOf(target)
    return rules.some((rule) => rule(place))
  }
}

/** Returns whether the address names this machine. */
export function isLoopback(target: URL): boolean {
  const { host } = placeOf(target)
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

type Place = { readonly host: string; readonly port: string }
type Rule = (place: Place) => boolean

function placeOf({ hostname, port, protocol }: URL): Place {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { host: host.toLowerCase(), port: port || (protocol === 'https:' ? '443' : '80') }
}

function ruleOf(entry: string): Rule {
  if (entry === '*') return () => true
  const range = /^(.+)\/(\d{1,3})$/.exec(entry)
  if (range) return rangeRule(range[1] ?? '', Number(range[2]))
  const { host, port } = splitPort(entry)
  const fitsPort: Rule = (place) => port === undefined || port === place.port
  if (isIP(host)) return (place) => fitsPort(place) && isSameAddress(host, place.host)
  const name = host.replace(/^\*(?=\.)/, '').replace(/\.$/, '')
  if (name.replaceAll('.', '') === '') return () => false
  if (name.startsWith('.')) return (place) => fitsPort(place) && place.host.endsWith(name)
  return (place) => fitsPort(place) && (place.host === name || place.host.endsWith(`.${name}`))
}

function rangeRule(address: string, bits: number): Rule {
  const family = isIP(address)
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return () => false
  const list = new BlockList()
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return ({ host }) => isIP(host) === family && list.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** One IPv6 address has many spellings. */
function isSameAddress(left: string, right: string): boolean {
  return rangeRule(left, isIP(left) === 4 ? 32 : 128)({ host: right, port: '' })
}

/** Splits `host:port` and `[::1]:port`. An IPv6 address without brackets has no port. */
function splitPort(entry: string): { readonly host: string; readonly port: string | undefined } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  return { host: bracketed ?? plain ?? entry, port }
}
