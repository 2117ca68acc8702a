// Durations on the command line.
import { InvalidArgumentError } from 'commander'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Parses `30s`, `10m` or `1h30m`. Returns milliseconds. */
export function durationOf(given: string): number {
  if (!/^([0-9]{1,6}(ms|s|m|h))+$/.test(given)) {
    throw new InvalidArgumentError('It must be a duration such as 30s, 10m or 1h30m.')
  }
  let sum = 0
  for (const [, amount, unit] of given.matchAll(/([0-9]+)(ms|s|m|h)/g)) sum += Number(amount) * (units[unit ?? ''] ?? 0)
  return sum
}
