// Reads `--fix`, which may precede paths: in `--fix charts/` the word is a path, in `--fix unsafe` it is not.
import { existsSync } from 'node:fs'
import { CliFailure } from '@dayfly/command-line/failure'
import { nearest } from '@dayfly/kit/nearest'
import { Option } from 'commander'
import type { DoctorOptions } from './options.ts'

/** The options as commander reads them. */
export type GivenOptions = Omit<DoctorOptions, 'fix'> & { readonly fix?: true | string }

export function fixOption(): Option {
  return new Option('--fix [which]', 'make the safe fixes; "unsafe" makes all')
}

/** Returns a path that commander took for the value of `--fix` to the paths. */
export function settleFix(
  paths: readonly string[],
  { fix, ...rest }: GivenOptions,
): { readonly paths: readonly string[]; readonly options: DoctorOptions } {
  if (fix === undefined) return { paths, options: rest }
  if (fix === true || fix === 'safe' || fix === 'unsafe') return { paths, options: { ...rest, fix } }
  if (isPath(fix)) return { paths: [fix, ...paths], options: { ...rest, fix: true } }
  const guess = nearest(fix, ['safe', 'unsafe'])
  throw new CliFailure({
    code: 'usage',
    sentence: `--fix takes "safe" or "unsafe", and there is no file or folder "${fix.slice(0, 80)}".`,
    next: guess ? `Did you mean --fix=${guess}?` : 'Leave it out for the safe fixes.',
  })
}

function isPath(text: string): boolean {
  return text === '-' || /[*?[{]/.test(text) || existsSync(text)
}
