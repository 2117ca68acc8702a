// `dayfly sweep`: the leftovers of a lost installation in the cluster and at the forge. It shows a plan, and carries it out once it is confirmed.
import { CliFailure } from '@dayfly/command-line/failure'
import { programName } from '@dayfly/command-line/program-name'
import { version } from '@dayfly/command-line/version'
import type { ForgeChoice } from '@dayfly/forges/open/account-options'
import { accountFlagOf, checkForgeChoice, forgeOptions, openForge } from '@dayfly/forges/open/forge-access'
import { Command } from 'commander'
import { gatherLeftovers, type SweepChoice } from '../operate/sweep/gather.ts'
import { performSweep } from '../operate/sweep/perform.ts'
import { planSweep } from '../operate/sweep/plan.ts'
import { describeStep, type SweepStep } from '../operate/sweep/step.ts'
import { showOrPerform } from './confirmed-plan.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'
import type { Wording } from './show-steps.ts'

type Options = ClusterOptions &
  ForgeChoice & { readonly confirm?: string; readonly scaleSet?: readonly string[]; readonly runnerGroup?: string }

const wording: Wording<SweepStep> = {
  describe: describeStep,
  nothing: 'Nothing is left over.',
  untouched: 'Left over and not touched:',
}

export function sweepCommand(): Command {
  const dayfly = programName()
  const command = withCluster(new Command('sweep'))
  for (const option of forgeOptions('also look at ')) command.addOption(option)
  return command
    .description(
      'Finds what a lost installation of Dayfly left in the cluster and at the forge. Removes it only with --confirm.',
    )
    .option(
      '--scale-set <name...>',
      'with --github-url: also remove these scale sets, if they have no job and no other runner',
    )
    .option('--runner-group <name>', 'the runner group of --scale-set; default: the default group')
    .option('--confirm <digest>', 'carry out exactly the plan with this digest')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} sweep                                          the plan for all namespaces of the cluster
  GITHUB_TOKEN=… ${dayfly} sweep --github-url https://github.com/acme --scale-set linux
                                                        the plan with what is left at GitHub
  ${dayfly} sweep --bitbucket-workspace acme               the plan with what is left at Bitbucket
  GITEA_TOKEN=… ${dayfly} sweep --gitea-url https://gitea.example.com/acme
                                                        the plan with what is left at Gitea or Forgejo
  ${dayfly} sweep --confirm 3f2a9c0d11e47b65              carry out that plan

A runner that may have a job is never removed. A registration goes only if it is offline, idle and an hour old.
Exit codes: 0 nothing is left over, or every step is done; 1 something is left over, or a step was not done;
2 wrong usage.`,
    )
    .action((options: Options) => {
      checkOptions(options)
      return onCluster(options, async (opened) => {
        process.exitCode = await sweep(opened, options)
      })
    })
}

/** A forge knows no namespaces: a registration could belong to a set of any. */
function checkOptions(options: Options): void {
  const { namespace, githubUrl, scaleSet, runnerGroup } = options
  const usage = (sentence: string, next: string) => new CliFailure({ code: 'usage', sentence, next })
  checkForgeChoice(options)
  const flag = accountFlagOf(options)
  if (flag !== undefined && namespace !== undefined) {
    throw usage(`${flag} needs the sets of all namespaces.`, 'Leave -n out.')
  }
  if (githubUrl === undefined && (scaleSet ?? runnerGroup) !== undefined) {
    throw usage('--scale-set and --runner-group are for --github-url.', 'Add --github-url.')
  }
}

async function sweep(opened: Opened, options: Options): Promise<number> {
  const { clock, random, lease } = opened
  const caller = { clock, random, userAgent: `dayfly-cli/${version}` }
  const { account, close } = await openForge(options, caller, process.env)
  try {
    const choice: SweepChoice = {
      namespace: options.namespace,
      lease,
      account,
      scaleSets: options.scaleSet ?? [],
      group: options.runnerGroup,
    }
    const plan = planSweep(await gatherLeftovers(opened, choice))
    return await showOrPerform(plan, wording, options, (signal, report) =>
      performSweep({ ...opened, account, signal }, plan.steps, report),
    )
  } finally {
    await close()
  }
}
