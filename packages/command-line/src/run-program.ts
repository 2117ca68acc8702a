// Runs a program with commands. It loads only the module of the given command, and turns every error into a sentence and an exit code.

import { nearest } from '@dayfly/kit/nearest'
import type { Command } from 'commander'
import { CliFailure, describeFailure } from './failure.ts'
import { exitOnOutputError, printLine, printNote } from './output.ts'
import { commandName, programName } from './program-name.ts'
import { fromCommander, isShownHelp } from './usage-errors.ts'
import { version } from './version.ts'

/** Names the purpose of a command. */
export type CommandGroup = 'operate' | 'check' | 'try' | 'migrate'

/** One command: its line in the help, and the import of its module. */
export type CommandEntry = {
  readonly group: CommandGroup
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** A program of this repository. Each has some of the commands. */
export type Program = {
  readonly title: string
  readonly commands: Readonly<Record<string, CommandEntry>>
  /** Lines of the help: the arguments after the program's name, and what they do. */
  readonly examples: readonly (readonly [args: string, effect: string])[]
}

const groups: readonly CommandGroup[] = ['operate', 'check', 'try', 'migrate']

/** Runs the command that the arguments name. Resolves with the exit code: 2 for wrong usage. */
export function runProgram(program: Program, args: readonly string[]): Promise<number | undefined> {
  const [name, ...rest] = args
  return guarded(async () => {
    if (name === '--version' || name === '-V') printLine(version)
    else if (name === undefined || name === 'help' || name === '--help' || name === '-h') await help(program, rest[0])
    else await start(program, name, rest)
  })
}

/** Runs a program that has one command alone. Resolves like `runProgram`. */
export function runCommand(command: Command, name: string, args: readonly string[]): Promise<number | undefined> {
  return guarded(async () => {
    if (args[0] === '--version' || args[0] === '-V') printLine(version)
    else await perform(command, name, args)
  })
}

/** Turns every error into a sentence and an exit code. */
async function guarded(run: () => Promise<void>): Promise<number | undefined> {
  const debug = Boolean(process.env['DAYFLY_DEBUG'])
  exitOnOutputError((cause) => printNote(describeFailure(unwritable(cause), debug)))
  try {
    await run()
    return process.exitCode === undefined ? 0 : Number(process.exitCode)
  } catch (error) {
    if (isShownHelp(error)) return error.exitCode === 0 ? 0 : 2
    const failure = fromCommander(error)
    printNote(describeFailure(failure, debug))
    return failure instanceof CliFailure ? failure.exitCode : 1
  }
}

async function start({ commands }: Program, name: string, args: readonly string[]): Promise<void> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) throw unknownCommand(name, Object.keys(commands))
  await perform(await entry.load(), name, args)
}

async function perform(command: Command, name: string, args: readonly string[]): Promise<void> {
  command.name(commandName(name))
  prepare(command)
  await command.parseAsync(args, { from: 'user' })
}

/** Makes the command and its subcommands throw their usage errors instead of printing them and ending the process. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} })
  for (const child of command.commands) prepare(child)
}

async function help(program: Program, name: string | undefined): Promise<void> {
  if (name !== undefined && !name.startsWith('-')) return start(program, name, ['--help'])
  const dayfly = programName()
  printLine(`dayfly ${version}: ${program.title}\n\nUsage: ${dayfly} <command> [options]`)
  for (const group of groups) {
    const members = Object.entries(program.commands).filter(([, entry]) => entry.group === group)
    const lines = members.map(([command, { summary }]) => `  ${command.padEnd(12)}${summary}`)
    if (lines.length > 0) printLine(`\n${group[0]?.toUpperCase()}${group.slice(1)}:\n${lines.join('\n')}`)
  }
  const width = Math.max(...program.examples.map(([args]) => args.length))
  printLine(`\nExamples:`)
  for (const [args, effect] of program.examples) printLine(`  ${dayfly} ${args.padEnd(width)}    ${effect}`)
}

function unwritable(cause: Error): CliFailure {
  const why = cause.message.replace(/^[A-Z]+: |, write$/g, '')
  const next = 'Free disk space, or write the output to another place.'
  return new CliFailure({ code: 'output-unwritable', sentence: `The output cannot be written: ${why}.`, next, cause })
}

function unknownCommand(name: string, known: readonly string[]): CliFailure {
  const guess = nearest(name, known)
  const next = guess ? `Did you mean "${programName()} ${guess}"? ` : ''
  return new CliFailure({
    code: 'unknown-command',
    sentence: `There is no command "${name}".`,
    next: `${next}"${programName()} help" lists all commands.`,
  })
}
