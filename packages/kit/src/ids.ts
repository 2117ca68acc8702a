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
  const digits = (count: number): string => {
    let number = 0
    for (let index = 0; index < count; index++) number = number * 16 + Math.floor(random() * 16)
    return number.toString(16).padStart(count, '0')
  }
  const variant = (): string => '89ab'[Math.floor(random() * 4)] as string
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant()}${digits(3)}-${digits(12)}`
}
