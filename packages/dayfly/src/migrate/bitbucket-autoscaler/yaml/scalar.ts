// Reads a plain scalar as PyYAML does (YAML 1.1): `0644` is 420, `on` is true, and `1e3` is a text.
import type { Scalar } from './value.ts'

const truths: ReadonlySet<string> = new Set(['yes', 'true', 'on'])
const boolean = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const integer = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const float =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const date =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/

/** Returns the value of a scalar without quotes. */
export function plainScalar(text: string): Scalar {
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null
  if (boolean.test(text)) return truths.has(text.toLowerCase())
  if (integer.test(text)) return readInteger(text)
  if (float.test(text)) return readFloat(text)
  return date.test(text) ? { timestamp: text } : text
}

/** Returns the value of a scalar with an explicit tag; undefined if the tag does not fit or is not known. */
export function taggedScalar(tag: string, text: string): Scalar | undefined {
  const name = tag.replace('tag:yaml.org,2002:', '')
  if (name === 'str') return text
  const value = plainScalar(text)
  if (name === 'null' && value === null) return null
  if (name === 'bool' && typeof value === 'boolean') return value
  if (name === 'int' && typeof value === 'bigint') return value
  if (name === 'float' && (typeof value === 'number' || typeof value === 'bigint')) return Number(value)
  return undefined
}

function readInteger(text: string): Scalar {
  const digits = text.replace(/_/g, '').replace(/^[-+]/, '')
  const size = sizeOf(digits)
  return size === undefined ? text : text.startsWith('-') ? -size : size
}

/** Python reads `0b` and `0x` without digits as an error. Such a text stays a text. */
function sizeOf(digits: string): bigint | undefined {
  if (digits.includes(':')) return digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n)
  if (/^0[bx]$/.test(digits)) return undefined
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`)
  return BigInt(digits)
}

function readFloat(text: string): number {
  const digits = text.replace(/_/g, '').replace(/^[-+]/, '').toLowerCase()
  const sign = text.startsWith('-') ? -1 : 1
  if (digits === '.nan') return Number.NaN
  if (digits === '.inf') return sign * Number.POSITIVE_INFINITY
  if (!digits.includes(':')) return sign * Number(digits)
  return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
