// The name of a server in a TLS handshake (https://www.rfc-editor.org/rfc/rfc6066#section-3).
import { isIP } from 'node:net'

/** TLS sends a server's name, but never an IP address. */
export function serverName(host: string): { readonly servername: string } {
  return { servername: isIP(host) ? '' : host }
}
