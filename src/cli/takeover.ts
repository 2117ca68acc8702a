// `dayfly takeover`: stops Atlassian's autoscaler for Bitbucket and lets its runners end. It shows a plan, and carries it out once it is confirmed.
import { Command, Option } from 'commander'
import type { ForgeAccount } from '../forge/account.ts'
import { PortError } from '../model/port-error.ts'
import { gatherTakeover, type TakeoverFacts } from '../operate/takeover/gather.ts'
import { performTakeover, type TakingOver } from '../operate/takeover/perform.ts'
import { planTakeover } from '../operate/takeover/plan.ts'
import type { TakeoverPlan, TakeoverResult } from '../operate/takeover/step.ts'
import { checkForgeChoice, type ForgeChoice, openForge } from './doctor/forge-access.ts'
import { CliFailure } from './failure.ts'
import { Interrupted, listenForInterruption } from './interruption.ts'
import { type ClusterOptions, columnsOf, type Opened, onCluster } from './operate/options.ts'
import { takeoverJson, takeoverLines, takeoverResultLine } from './operate/show-takeover.ts'
import { printJson, printNote, printResult } from './output.ts'
import { programName } from './program-name.ts'
import { version } from './version.ts'

type Options = Pick<ClusterOptions, 'kubeconfig' | 'context' | 'json'> &
  Pick<ForgeChoice, 'bitbucketWorkspace' | 'bitbucketCredentialFile'> & {
    readonly autoscalerNamespace: string
    readonly confirm?: string
  }

export function takeoverCommand(): Command {
  const dayfly = programName()
  return new Command('takeover')
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
    .option(
      '--kubeconfig <file>',
      'the kubeconfig; default: $KUBECONFIG, ~/.kube/config or the ServiceAccount of the pod',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--json', 'print the result as JSON')
    .option('--confirm <digest>', 'carry out exactly the plan with this digest')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} takeover --bitbucket-workspace acme                              the plan
  ${dayfly} takeover --bitbucket-workspace acme --confirm 3f2a9c0d11e47b65   carry out that plan

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
    if (options.confirm === undefined) return show(plan, options)
    if (options.confirm !== plan.digest) throw planChanged(plan)
    return await carryOut({ ...opened, account }, plan, options)
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

function show(plan: TakeoverPlan, options: Options): number {
  if (options.json) printJson(takeoverJson(plan, undefined))
  else printResult(`${takeoverLines(plan, columnsOf()).join('\n')}\n`)
  return plan.steps.length > 0 || plan.untouched.length > 0 ? 1 : 0
}

async function carryOut(world: TakingOver, plan: TakeoverPlan, options: Options): Promise<number> {
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  try {
    const note = (result: TakeoverResult) => {
      if (!options.json) printNote(takeoverResultLine(result))
    }
    printNote('Each runner is disabled and watched for 35 s before it may go.')
    const results = await performTakeover({ ...world, signal: interruption.signal }, plan.steps, note)
    if (options.json) printJson(takeoverJson(plan, results))
    const done = results.filter(({ is }) => is === 'done').length
    printNote(`${done} of ${results.length} steps done`)
    const { reason } = interruption.signal
    if (reason instanceof Interrupted) return reason.exitCode
    return done === results.length && plan.untouched.length === 0 ? 0 : 1
  } finally {
    interruption.release()
  }
}

function planChanged({ digest, steps }: TakeoverPlan): CliFailure {
  const next =
    steps.length === 0 ? 'Nothing is left to do.' : `Read the new plan without --confirm. Its digest is ${digest}.`
  const sentence = 'The plan is no longer the one that was confirmed, so nothing was done.'
  return new CliFailure({ code: 'plan-changed', sentence, next, exitCode: 1 })
}
