// `dayfly takeover bitbucket-autoscaler`: stops Atlassian's autoscaler for Bitbucket and lets its runners end. It shows a plan, and carries it out once it is confirmed.
import { CliFailure } from '@dayfly/command-line/failure'
import { printNote } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { version } from '@dayfly/command-line/version'
import type { ForgeChoice } from '@dayfly/forges/open/account-options'
import { checkForgeChoice, openForge } from '@dayfly/forges/open/forge-access'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { Command, Option } from 'commander'
import { gatherTakeover, type TakeoverFacts } from '../operate/takeover/gather.ts'
import { performTakeover } from '../operate/takeover/perform.ts'
import { planTakeover } from '../operate/takeover/plan.ts'
import { describeTakeover, type TakeoverStep } from '../operate/takeover/step.ts'
import { showOrPerform } from './confirmed-plan.ts'
import { type ClusterOptions, type Opened, onCluster, withConnection } from './options.ts'
import type { Wording } from './show-steps.ts'

type Options = Pick<ClusterOptions, 'kubeconfig' | 'context' | 'json'> &
  Pick<ForgeChoice, 'bitbucketWorkspace' | 'bitbucketCredentialFile'> & {
    readonly autoscalerNamespace: string
    readonly confirm?: string
  }

const wording: Wording<TakeoverStep> = {
  describe: describeTakeover,
  nothing: 'The old autoscaler does not run, and nothing of it is left.',
  untouched: 'Not touched:',
}

export function takeoverBitbucketCommand(): Command {
  const dayfly = programName()
  return withConnection(new Command('bitbucket-autoscaler'))
    .description(
      "Stops Atlassian's autoscaler for Bitbucket and lets its runners end. Changes something only with --confirm.",
    )
    .addOption(
      new Option(
        '--bitbucket-workspace <workspace>',
        'the workspace of the old runners; also WORKSPACE/REPOSITORY',
      ).makeOptionMandatory(),
    )
    .option(
      '--bitbucket-credential-file <file>',
      'the file with the credential, one NAME=VALUE in each line; default: the environment',
    )
    .option(
      '--autoscaler-namespace <name>',
      'the namespace of the Deployments of the autoscaler',
      'bitbucket-runner-control-plane',
    )
    .option('--json', 'print the result as JSON')
    .option('--confirm <digest>', 'carry out exactly the plan with this digest')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} takeover bitbucket-autoscaler --bitbucket-workspace acme                              the plan
  ${dayfly} takeover bitbucket-autoscaler --bitbucket-workspace acme --confirm 3f2a9c0d11e47b65   carry out that plan

A runner with a step is disabled and stays until its step is over: run the command again then.
Start the RunnerSets first, so that no step waits. "${dayfly} import bitbucket-autoscaler" makes them.
Exit codes: 0 nothing is left to do, or every step is done; 1 something is left to do; 2 wrong usage.`,
    )
    .action((options: Options) => {
      checkForgeChoice(options)
      return onCluster({ ...options, allNamespaces: true }, async (opened) => {
        process.exitCode = await takeover(opened, options)
      })
    })
}

async function takeover(opened: Opened, options: Options): Promise<number> {
  const { clock, random } = opened
  const caller = { clock, random, userAgent: `dayfly-cli/${version}` }
  const { account, close } = await openForge(options, caller, process.env)
  try {
    if (!account) throw new Error('the workspace is mandatory')
    const plan = planTakeover(await read(opened, options, account))
    const code = await showOrPerform(plan, wording, options, (signal, report) => {
      printNote('Each runner is disabled and watched for 35 s before it may go.')
      return performTakeover({ ...opened, account, signal }, plan.steps, report)
    })
    // A Job that stays is left to do, even after every step is done.
    return plan.untouched.length > 0 ? Math.max(code, 1) : code
  } finally {
    await close()
  }
}

async function read(opened: Opened, { autoscalerNamespace }: Options, account: ForgeAccount): Promise<TakeoverFacts> {
  try {
    return await gatherTakeover(opened, autoscalerNamespace, account)
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    const sentence = `Bitbucket could not be read: ${error.message}`
    const next = 'Check the workspace and the credential. Nothing was done.'
    throw new CliFailure({ code: 'bitbucket-unread', sentence, next, cause: error, exitCode: 1 })
  }
}
