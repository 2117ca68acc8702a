// Reads the command line of a simulation. One with a mistake ends the process with 2, and a sentence about it.
import { exit, stderr } from 'node:process'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** @param script the script of package.json, for the advice */
export function readArguments<Config extends ParseArgsConfig>(
  script: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    return refuse(`${sentence}\nRun npm run ${script} -- --help to see its options.`)
  }
}

/** Returns the number of an option that counts something. */
export function countIn(name: string, text: string | undefined): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  return refuse(`--${name} must be a whole number from 1 on, and not "${text}"`)
}

export function refuse(sentence: string): never {
  stderr.write(`${sentence}\n`)
  exit(2)
}
