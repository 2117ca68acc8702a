// Reads who may see the page.
import { isIPv4, isIPv6 } from 'node:net'
import { CliFailure } from '@dayfly/command-line/failure'
import type { ListenAddress } from '../command/process/listen-address.ts'
import type { GateKind } from './gate.ts'

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Reads `--dashboard-access`: `token`, `header:NAME` or `header:NAME,GROUPS`. Without it, a page on loopback needs no identity, and any
 * other one needs a token.
 */
export function gateKindOf(text: string | undefined, { host }: ListenAddress): GateKind {
  if (text === undefined) return isLoopback(host) ? { is: 'loopback' } : { is: 'token' }
  if (text === 'token') return { is: 'token' }
  const [, user = '', groups] = /^header:([^,]+)(?:,(.+))?$/.exec(text) ?? []
  if (headerName.test(user) && (groups === undefined || headerName.test(groups))) return { is: 'header', user, groups }
  throw new CliFailure({
    code: 'usage',
    sentence: `--dashboard-access must be token or header:NAME, not "${text}".`,
    next: 'Use for example header:X-Forwarded-User,X-Forwarded-Groups behind a proxy that sets these headers itself.',
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIPv4(host) && host.startsWith('127.')) || (isIPv6(host) && host === '::1')
}
