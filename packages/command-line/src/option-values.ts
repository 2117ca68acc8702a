// Reads values of options.
import { CliFailure } from './failure.ts'

/** Returns a parser for an option whose value must be a whole number from `least` to `most`. */
export function wholeNumber(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new CliFailure({
      code: 'usage',
      sentence: `${name} must be a whole number from ${least} to ${most}, not "${text.slice(0, 40)}".`,
      next: 'Run the command with --help to see its options.',
    })
  }
}
