// Creates identifiers from a given source of randomness.
import type { Random } from './random.ts'

/** The alphabet that Kubernetes uses for generated names: no vowels and no characters that look alike. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** Returns `length` random characters that are valid in a DNS-1123 name. */
export function randomName(random: Random, length: number): string {
  let name = ''
  for (let index = 0; index < length; index++) name += nameAlphabet[Math.floor(random() * nameAlphabet.length)]
  return name
}

/** Returns a version 4 UUID (RFC 9562) in lower case. */
export function uuid(random: Random): string {
  let hex = ''
  for (let index = 0; index < 32; index++) {
    if (index === 12) hex += '4'
    else if (index === 16) hex += '89ab'[Math.floor(random() * 4)]
    else hex += Math.floor(random() * 16).toString(16)
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
