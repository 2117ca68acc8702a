// The errors with which commander refuses a command line, as failures of our own.

import { nearest } from '@dayfly/kit/nearest'
import { CliFailure } from './failure.ts'

/** Returns whether commander has printed the help. Its exit code is not 0 if it did so because a subcommand was missing. */
export function isShownHelp(error: unknown): error is Error & { readonly exitCode: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    'exitCode' in error &&
    (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
  )
}

/** Turns a usage error of commander into a CliFailure. Returns every other error unchanged. */
export function fromCommander(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('commander.'))) return error
  const [message = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  const [, typed = '', choices] = /argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? []
  const guess = choices && nearest(typed, choices.split(', '))
  const hint = guess ? `Did you mean "${guess}"?` : hints.join(' ').replace(/[()]/g, '').trim()
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`
  const next = `${hint ? `${hint} ` : ''}Run the command with --help to see its options.`
  return new CliFailure({ code: 'usage', sentence, next })
}
