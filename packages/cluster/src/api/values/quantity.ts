// Resource quantities ("500m", "1Gi", "2e3"), exact and in Kubernetes' canonical form.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go

export type Format = 'binary' | 'decimal' | 'exponent'

export type Quantity = {
  /** The amount in billionths, the smallest unit. */
  readonly nano: bigint
  readonly text: string
  readonly format: Format
}

/** Kubernetes' message for an invalid quantity. */
export const quantityProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

const billion = 1_000_000_000n
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
/** The largest exponent. 1e18 bytes is an exabyte, so a larger one is a mistake or an attack. */
const exponentMax = 30

/** Parses a quantity. Returns undefined if the text is not one. `text` is the canonical form: `1` for `1000m`. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > 64) return undefined
  const parts = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)$/.exec(text)
  if (parts === null) return undefined
  const [, sign, number = '', suffix = ''] = parts
  const [whole = '', fraction = ''] = number.split('.')
  const binary = binarySuffixes.indexOf(suffix, 1)
  const exponent = binary > 0 ? 0 : exponentOf(suffix)
  if (Math.abs(exponent) > exponentMax) return undefined
  const unit = BigInt(`${whole}${fraction}`) * (binary > 0 ? 1024n ** BigInt(binary) : 1n) * (sign === '-' ? -1n : 1n)
  const nano = scaled(unit, 9 + exponent - fraction.length)
  return quantity(nano, binary > 0 ? 'binary' : /^[eE]/.test(suffix) && suffix !== 'E' ? 'exponent' : 'decimal')
}

/** Returns the quantity of an amount in billionths. */
export function quantity(nano: bigint, format: Format): Quantity {
  return { nano, text: canonical(nano, format), format }
}

function exponentOf(suffix: string): number {
  const decimal = decimalSuffixes.indexOf(suffix)
  return decimal >= 0 ? (decimal - 3) * 3 : Number(suffix.slice(1))
}

/** Multiplies by a power of ten. Rounds away from zero what is smaller than the smallest unit. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  const rest = value % divisor
  return value / divisor + (rest > 0n ? 1n : rest < 0n ? -1n : 0n)
}

function canonical(nano: bigint, format: Format): string {
  if (nano === 0n) return '0'
  const units = nano / billion
  const small = units > -1024n && units < 1024n
  if (format === 'binary' && nano % billion === 0n && !small) {
    const [value, index] = reduced(units, 1024n, binarySuffixes.length - 1)
    return `${value}${binarySuffixes[index]}`
  }
  const [value, index] = reduced(nano, 1000n, decimalSuffixes.length - 1)
  if (format === 'exponent') return index === 3 ? `${value}` : `${value}e${(index - 3) * 3}`
  return `${value}${decimalSuffixes[index]}`
}

/** Divides as often as possible without a remainder. Returns the quotient and the number of divisions. */
function reduced(value: bigint, by: bigint, most: number): readonly [bigint, number] {
  let rest = value
  let times = 0
  while (times < most && rest % by === 0n) {
    rest /= by
    times++
  }
  return [rest, times]
}
