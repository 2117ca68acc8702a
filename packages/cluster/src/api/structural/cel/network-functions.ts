// URLs, IP addresses and CIDR blocks in Kubernetes' rules.
import { BlockList, isIP } from 'node:net'
import type { Environment } from '@marcbachmann/cel-js'

export function addNetworkFunctions(environment: Environment): void {
  addUrls(environment)
  addAddresses(environment)
}

/** The parts of a URL as they are written. JavaScript's own parser would leave out the usual port. */
class Url {
  readonly scheme: string
  readonly host: string
  readonly port: string
  readonly path: string

  constructor(text: string) {
    const parts = urlPattern.exec(text)
    if (!parts) throw new Error(`URL parse error during conversion from string: parse ${JSON.stringify(text)}`)
    const [, scheme = '', host = '', port = '', path = ''] = parts
    this.scheme = scheme.toLowerCase()
    this.host = host
    this.port = port
    this.path = path
  }
}

const urlPattern =
  /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(?:[^@/?#\s]*@)?(\[[0-9a-fA-F:.]+\]|[^:/?#\s[\]]*)(?::(\d*))?)?(\/[^?#\s]*|(?<=.)$|(?=[?#]))(?:\?[^#\s]*)?(?:#\S*)?$/

function addUrls(environment: Environment): void {
  environment
    .registerType('kubernetes.URL', Url)
    .registerFunction('isURL(string): bool', (text: string) => urlPattern.test(text))
    .registerFunction('url(string): kubernetes.URL', (text: string) => new Url(text))
    .registerFunction('kubernetes.URL.getScheme(): string', ({ scheme }: Url) => scheme)
    .registerFunction('kubernetes.URL.getHost(): string', ({ host, port }: Url) =>
      port === '' ? host : `${host}:${port}`,
    )
    .registerFunction('kubernetes.URL.getHostname(): string', ({ host }: Url) => host.replace(/^\[|\]$/g, ''))
    .registerFunction('kubernetes.URL.getPort(): string', ({ port }: Url) => port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ path }: Url) => path)
}

class Address {
  readonly text: string

  constructor(text: string) {
    if (isIP(text) === 0) throw new Error(`IP Address "${text}" parse error during conversion from string`)
    this.text = text
  }
}

class Block {
  readonly text: string
  readonly prefix: number
  readonly #list = new BlockList()

  constructor(text: string) {
    const parts = partsOf(text)
    if (!parts) throw new Error(`network address parse error during conversion from string: "${text}"`)
    this.text = text
    this.prefix = parts.prefix
    this.#list.addSubnet(parts.address, parts.prefix, familyOf(parts.address))
  }

  contains(address: string): boolean {
    return this.#list.check(address, familyOf(address))
  }
}

function addAddresses(environment: Environment): void {
  environment
    .registerType('net.IP', Address)
    .registerType('net.CIDR', Block)
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('isCIDR(string): bool', (text: string) => partsOf(text) !== undefined)
    .registerFunction('ip(string): net.IP', (text: string) => new Address(text))
    .registerFunction('cidr(string): net.CIDR', (text: string) => new Block(text))
    .registerFunction('net.IP.family(): int', ({ text }: Address) => BigInt(isIP(text)))
    .registerFunction('net.CIDR.prefixLength(): int', ({ prefix }: Block) => BigInt(prefix))
    .registerFunction('net.CIDR.containsIP(string): bool', (block: Block, text: string) =>
      block.contains(new Address(text).text),
    )
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (block: Block, { text }: Address) => block.contains(text))
}

function partsOf(text: string): { readonly address: string; readonly prefix: number } | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const family = isIP(address)
  const prefix = Number(digits)
  return family !== 0 && digits !== '' && prefix <= (family === 4 ? 32 : 128) ? { address, prefix } : undefined
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
