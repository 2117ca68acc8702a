// Durations such as 30s and 1h30m.

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Converts a duration that matches the schema to milliseconds. */
export function milliseconds(text: string): number {
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|s|m|h)/g)) sum += Number(amount) * (units[unit ?? ''] ?? 0)
  return sum
}
