// Identifiers made from a given randomness.
import type { Random } from './random.ts'

/** Kubernetes' own alphabet for generated names: no vowels, no look-alikes. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** `length` characters that may stand in a DNS-1123 name. */
export function randomName(random: Random, length: number): string {
  let name = ''
  for (let index = 0; index < length; index++) name += nameAlphabet[Math.floor(random() * nameAlphabet.length)]
  return name
}

/** An RFC 9562 version 4 UUID in lower case. */
export function uuid(random: Random): string {
  let hex = ''
  for (let index = 0; index < 32; index++) {
    if (index === 12) hex += '4'
    else if (index === 16) hex += '89ab'[Math.floor(random() * 4)]
    else hex += Math.floor(random() * 16).toString(16)
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
