// The formats that a schema can demand of strings.
import { isIP } from 'node:net'

/** Returns whether a string has the format. Kubernetes checks only these formats and ignores all others. */
export function fitsFormat(format: string, value: string): boolean {
  switch (format) {
    case 'date-time':
      return (
        /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) &&
        !Number.isNaN(Date.parse(value))
      )
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    case 'byte':
      return /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0
    case 'uuid':
      return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value)
    case 'ipv4':
      return isIP(value) === 4
    case 'ipv6':
      return isIP(value) === 6
    default:
      return true
  }
}
