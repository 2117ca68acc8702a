#!/usr/bin/env node
// The entry point of the command line. It loads only the module of the given command, and turns every error into a sentence and an exit code.
import type { Command } from 'commander'
import { CliFailure, describeFailure } from './failure.ts'
import { nearest } from './nearest.ts'
import { exitOnOutputError, printLine, printNote } from './output.ts'
import { programName } from './program-name.ts'
import { fromCommander, isShownHelp } from './usage-errors.ts'
import { version } from './version.ts'

type Entry = { readonly summary: string; readonly load: () => Promise<Command> }

/** All commands. */
const commands: Readonly<Record<string, Entry>> = {
  demo: {
    summary: 'run workflow files on this machine, with an emulated forge and an embedded cluster',
    load: async () => (await import('./demo.ts')).demoCommand(),
  },
  emulate: {
    summary: 'serve an emulated forge on this machine, for tests without a real forge',
    load: async () => (await import('./emulate.ts')).emulateCommand(),
  },
  doctor: {
    summary: 'find, explain and fix errors that make CI runners hang, leak or fail',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  status: {
    summary: 'show the runner sets, what is wrong with each, and which controller leads',
    load: async () => (await import('./status.ts')).statusCommand(),
  },
  explain: {
    summary: 'explain why a runner set, a runner or a job waits, what happened, and the next step',
    load: async () => (await import('./explain.ts')).explainCommand(),
  },
  plan: {
    summary: 'show the decision about each runner set now, with its reasons; change nothing',
    load: async () => (await import('./plan.ts')).planCommand(),
  },
  drain: {
    summary: 'let the runners of one set end: no new runner starts, and busy ones finish',
    load: async () => (await import('./drain.ts')).drainCommand(),
  },
  sweep: {
    summary: 'find what a lost installation left in the cluster and at the forge, and remove it',
    load: async () => (await import('./sweep.ts')).sweepCommand(),
  },
  import: {
    summary: "make RunnerSets of another autoscaler's own files, with a report and a plan of the takeover",
    load: async () => (await import('./import.ts')).importCommand(),
  },
  takeover: {
    summary: "stop Atlassian's autoscaler for Bitbucket, and let its runners end",
    load: async () => (await import('./takeover.ts')).takeoverCommand(),
  },
  lab: {
    summary: 'reproduce an incident of CI runners on an embedded cluster, and show its remedy',
    load: async () => (await import('./lab.ts')).labCommand(),
  },
  controller: {
    summary: 'run the controller on a Kubernetes cluster',
    load: async () => (await import('./controller.ts')).controllerCommand(),
  },
  cluster: {
    summary: 'run only the embedded Kubernetes cluster, for kubectl and other controllers',
    load: async () => (await import('./cluster.ts')).clusterCommand(),
  },
}

process.exitCode = await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<number | undefined> {
  const debug = Boolean(process.env['DAYFLY_DEBUG'])
  exitOnOutputError((cause) => printNote(describeFailure(unwritable(cause), debug)))
  try {
    const [name, ...rest] = args
    if (name === '--version' || name === '-V') printLine(version)
    else if (name === undefined || name === 'help' || name === '--help' || name === '-h') await help(rest[0])
    else await start(name, rest)
    return process.exitCode === undefined ? 0 : Number(process.exitCode)
  } catch (error) {
    if (isShownHelp(error)) return error.exitCode === 0 ? 0 : 2
    const failure = fromCommander(error)
    printNote(describeFailure(failure, debug))
    return failure instanceof CliFailure ? failure.exitCode : 1
  }
}

async function start(name: string, args: readonly string[]): Promise<void> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) throw unknownCommand(name)
  const command = (await entry.load()).name(`${programName()} ${name}`)
  prepare(command)
  await command.parseAsync(args, { from: 'user' })
}

/** Makes the command and its subcommands throw their usage errors instead of printing them and ending the process. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} })
  for (const child of command.commands) prepare(child)
}

async function help(name: string | undefined): Promise<void> {
  if (name !== undefined && !name.startsWith('-')) return start(name, ['--help'])
  const list = Object.entries(commands).map(([command, { summary }]) => `  ${command.padEnd(12)}${summary}`)
  const dayfly = programName()
  printLine(`dayfly ${version}: ephemeral CI runners on Kubernetes\n\nUsage: ${dayfly} <command> [options]\n`)
  printLine(`Commands:\n${list.join('\n')}\n\nExamples:`)
  printLine(`  ${dayfly} demo                             run the example workflows on this machine`)
  printLine(`  ${dayfly} demo .github/workflows/ci.yml    run your own workflow`)
  printLine(`  ${dayfly} doctor .                         check the manifests in this directory`)
  printLine(`  ${dayfly} status -A                        show every runner set of a cluster`)
  printLine(`  ${dayfly} help demo                        show the options of one command`)
}

function unwritable(cause: Error): CliFailure {
  const why = cause.message.replace(/^[A-Z]+: |, write$/g, '')
  const next = 'Free disk space, or write the output to another place.'
  return new CliFailure({ code: 'output-unwritable', sentence: `The output cannot be written: ${why}.`, next, cause })
}

function unknownCommand(name: string): CliFailure {
  const guess = nearest(name, Object.keys(commands))
  const next = guess ? `Did you mean "${programName()} ${guess}"? ` : ''
  return new CliFailure({
    code: 'unknown-command',
    sentence: `There is no command "${name}".`,
    next: `${next}"${programName()} help" lists all commands.`,
  })
}
