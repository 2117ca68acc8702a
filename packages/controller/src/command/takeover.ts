// `dayfly takeover`: the way from another autoscaler to Dayfly in a live cluster. Each autoscaler has a command of its own.
import { Command } from 'commander'
import { takeoverArcCommand } from './takeover-arc.ts'
import { takeoverBitbucketCommand } from './takeover-bitbucket.ts'

export function takeoverCommand(): Command {
  return new Command('takeover')
    .description(
      'Takes runners over from another autoscaler without losing a job. Changes something only with --confirm.',
    )
    .addCommand(takeoverArcCommand())
    .addCommand(takeoverBitbucketCommand())
}
