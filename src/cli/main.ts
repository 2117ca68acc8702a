#!/usr/bin/env node
// The command line: finds the command, loads it alone, and turns every error into a sentence and an exit code.
import type { Command } from 'commander'
import { CliFailure, describeFailure } from './failure.ts'
import { nearest } from './nearest.ts'
import { endWithReader, printLine, printNote } from './output.ts'
import { version } from './version.ts'

type Entry = { readonly summary: string; readonly load: () => Promise<Command> }

/** Every command; its module is loaded only when it is asked for. */
const commands: Readonly<Record<string, Entry>> = {
  demo: {
    summary: 'run workflow files through forge, controller and cluster on this machine',
    load: async () => (await import('./demo.ts')).demoCommand(),
  },
  emulate: {
    summary: 'serve an emulated forge on this machine, for people who have none',
    load: async () => (await import('./emulate.ts')).emulateCommand(),
  },
  doctor: {
    summary: 'find, explain and mend what makes CI runners hang, leak or fail',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  cluster: {
    summary: 'run the embedded Kubernetes alone, for kubectl and other controllers',
    load: async () => (await import('./cluster.ts')).clusterCommand(),
  },
}

process.exitCode = await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<number | undefined> {
  const debug = Boolean(process.env['DAYFLY_DEBUG'])
  endWithReader((cause) => printNote(describeFailure(unwritable(cause), debug).trimEnd()))
  try {
    const [name, ...rest] = args
    if (name === '--version' || name === '-V') printLine(version)
    else if (name === undefined || name === 'help' || name === '--help' || name === '-h') await help(rest[0])
    else await start(name, rest)
    return process.exitCode === undefined ? 0 : Number(process.exitCode)
  } catch (error) {
    if (isShownHelp(error)) return error.exitCode === 0 ? 0 : 2
    const failure = fromCommander(error)
    printNote(describeFailure(failure, debug).trimEnd())
    return failure instanceof CliFailure ? failure.exitCode : 1
  }
}

async function start(name: string, args: readonly string[]): Promise<void> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) throw unknownCommand(name)
  const command = (await entry.load()).name(`dayfly ${name}`)
  prepare(command)
  await command.parseAsync(args, { from: 'user' })
}

/** Every command below it too: a wrong option tells its own story, and none ends the program. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} })
  for (const child of command.commands) prepare(child)
}

async function help(name: string | undefined): Promise<void> {
  if (name !== undefined && !name.startsWith('-')) return start(name, ['--help'])
  const list = Object.entries(commands).map(([command, { summary }]) => `  ${command.padEnd(10)}${summary}`)
  printLine(`dayfly ${version}: ephemeral CI runners on Kubernetes\n\nUsage: dayfly <command> [options]\n`)
  printLine(`Commands:\n${list.join('\n')}\n\nExamples:`)
  printLine('  dayfly demo                             watch jobs run, on this machine alone')
  printLine('  dayfly demo .github/workflows/ci.yml    run a workflow of yours')
  printLine('  dayfly doctor .                         find what makes runners hang, in files')
  printLine('  dayfly help demo                        the options of one command')
}

function unwritable(cause: Error): CliFailure {
  const why = cause.message.replace(/^[A-Z]+: |, write$/g, '')
  const next = 'Send the output to where there is room for it.'
  return new CliFailure({ code: 'output-unwritable', sentence: `The output cannot be written: ${why}.`, next, cause })
}

function unknownCommand(name: string): CliFailure {
  const guess = nearest(name, Object.keys(commands))
  const next = guess ? `Did you mean "dayfly ${guess}"? ` : ''
  return new CliFailure({
    code: 'unknown-command',
    sentence: `There is no command "${name}".`,
    next: `${next}"dayfly help" lists all commands.`,
  })
}

/** Asked for, or, with another exit code than 0, shown because a command was missing. */
function isShownHelp(error: unknown): error is Error & { readonly exitCode: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    'exitCode' in error &&
    (error.code === 'commander.helpDisplayed' || error.code === 'commander.help')
  )
}

/** Commander's usage errors in our words; every other error as it is. */
function fromCommander(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('commander.'))) return error
  const [told = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  const [, typed = '', choices] = /argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/.exec(told) ?? []
  const guess = choices && nearest(typed, choices.split(', '))
  const hint = guess ? `Did you mean "${guess}"?` : hints.join(' ').replace(/[()]/g, '').trim()
  const sentence = `${told.charAt(0).toUpperCase()}${told.slice(1).replace(/\.$/, '')}.`
  const next = `${hint ? `${hint} ` : ''}Run it with --help to see what it takes.`
  return new CliFailure({ code: 'usage', sentence, next })
}
