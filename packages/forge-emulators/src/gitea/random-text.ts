// Tokens as Gitea makes them: 40 hexadecimal digits, or 40 letters and digits.
import type { Random } from '@dayfly/kit/random'

const hex = '0123456789abcdef'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 40

export function hexToken(random: Random): string {
  return textOf(random, hex)
}

export function letterToken(random: Random): string {
  return textOf(random, letters)
}

function textOf(random: Random, alphabet: string): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
}
