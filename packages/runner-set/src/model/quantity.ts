// Quantities of Kubernetes (`500m`, `1Gi`), only so far as amounts of pods are compared and added.

const form = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/

const powers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

export function isQuantity(text: string): boolean {
  return text.length <= 64 && form.test(text)
}

/** Returns the amount in base units: cores, bytes, objects; undefined if the text is no quantity. */
function amountOf(text: string): number | undefined {
  return isQuantity(text) ? sizeOf(text) : undefined
}

/** Returns the amounts of several resources, without those that are no quantities. */
export function amountsOf(texts: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, number>> {
  const known = Object.entries(texts).map(([name, text]) => [name, amountOf(String(text))] as const)
  return Object.fromEntries(known.filter((entry): entry is [string, number] => entry[1] !== undefined))
}

/** Returns a negative number if `one` is smaller. Both must be quantities. */
export function compareQuantities(one: string, other: string): number {
  return sizeOf(one) - sizeOf(other)
}

/** Doubles are exact enough for the amounts of pods. */
function sizeOf(text: string): number {
  const [, sign = '', digits = '0', suffix = '', exponent = '0'] = form.exec(text) ?? []
  const size = Number(digits) * (sign === '-' ? -1 : 1)
  if (suffix.endsWith('i')) return size * 1024 ** ('KMGTPE'.indexOf(suffix.charAt(0)) + 1)
  return size * 10 ** (suffix === '' ? Number(exponent) : (powers[suffix] ?? 0))
}
