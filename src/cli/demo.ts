// `dayfly demo`: everything on this machine, in one command.
import { Command } from 'commander'

export function demoCommand(): Command {
  return new Command('demo').description('Runs workflow files on this machine.')
}
