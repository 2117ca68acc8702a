// Resource quantities ("500m", "1Gi", "2e3"), exact and in Kubernetes' canonical form (apimachinery, api/resource).

export type Quantity = {
  /** The amount in billionths: the smallest unit there is. */
  readonly nano: bigint
  readonly text: string
}

/** What a bad quantity is answered with. */
export const quantityProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

const billion = 1_000_000_000n
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
/** Beyond this an exponent is a mistake or an attack: 1e18 is already an exabyte. */
const exponentMax = 30

/** Undefined for what is no quantity. The text is the canonical one: `1000m` is `1`. */
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
  return {
    nano,
    text: canonical(nano, binary > 0 ? 'binary' : /^[eE]/.test(suffix) && suffix !== 'E' ? 'exponent' : 'decimal'),
  }
}

function exponentOf(suffix: string): number {
  const decimal = decimalSuffixes.indexOf(suffix)
  return decimal >= 0 ? (decimal - 3) * 3 : Number(suffix.slice(1))
}

/** Times ten to the power; what is smaller than the smallest unit is rounded away from zero. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  const rest = value % divisor
  return value / divisor + (rest > 0n ? 1n : rest < 0n ? -1n : 0n)
}

function canonical(nano: bigint, format: 'decimal' | 'binary' | 'exponent'): string {
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

/** Divided as often as it goes without a rest. */
function reduced(value: bigint, by: bigint, most: number): readonly [bigint, number] {
  let rest = value
  let times = 0
  while (times < most && rest % by === 0n) {
    rest /= by
    times++
  }
  return [rest, times]
}
