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

const uuidForm = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'

/** Returns a version 4 UUID (RFC 9562) in lower case. */
export function uuid(random: Random): string {
  const one = (digits: string) => digits[Math.floor(random() * digits.length)] as string
  return uuidForm.replace(/[xy]/g, (place) => one(place === 'x' ? '0123456789abcdef' : '89ab'))
}
