// `dayfly takeover arc`: RunnerSets take the scale sets of ARC over, with the jobs that wait in them. It shows a plan, and carries it out once it is confirmed.
import { CliFailure } from '@dayfly/command-line/failure'
import { printNote } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { Command } from 'commander'
import { AccessFailure } from '../operate/read.ts'
import { type ArcFacts, gatherArc } from '../operate/takeover-arc/gather.ts'
import { performArcTakeover } from '../operate/takeover-arc/perform.ts'
import { planArcRollback, planArcTakeover } from '../operate/takeover-arc/plan.ts'
import { type ArcStep, describeArcStep } from '../operate/takeover-arc/step.ts'
import { showOrPerform } from './confirmed-plan.ts'
import { type ClusterOptions, type Opened, onCluster, withConnection } from './options.ts'
import type { Wording } from './show-steps.ts'

type Options = Pick<ClusterOptions, 'kubeconfig' | 'context' | 'namespace' | 'allNamespaces' | 'json'> & {
  readonly deliveryPaused?: true
  readonly rollback?: true
  readonly confirm?: string
}

const wording: Wording<ArcStep> = {
  describe: describeArcStep,
  nothing: 'ARC has no set here, and no takeover is under way.',
  untouched: 'Not touched:',
}

export function takeoverArcCommand(): Command {
  const dayfly = programName()
  return withConnection(new Command('arc'))
    .description(
      'Lets RunnerSets take over the scale sets of Actions Runner Controller (ARC). Changes something only with --confirm.',
    )
    .argument('[sets...]', "names of ARC's AutoscalingRunnerSets; default: all of the namespace")
    .option('-n, --namespace <name>', "the namespace of ARC's sets; default: the one of the context")
    .option('-A, --all-namespaces', 'all namespaces')
    .option('--delivery-paused', 'go on although Argo CD or Flux delivers the sets: you have paused it')
    .option('--rollback', 'give up each takeover that has deleted nothing yet')
    .option('--json', 'print the result as JSON')
    .option('--confirm <digest>', 'carry out exactly the plan with this digest')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} takeover arc -n arc-runners                              the plan for each set of the namespace
  ${dayfly} takeover arc linux -n arc-runners                        the plan for one set
  ${dayfly} takeover arc -n arc-runners --confirm 3f2a9c0d11e47b65   carry out that plan
  ${dayfly} takeover arc -n arc-runners --rollback                   the plan that leaves the sets to ARC again

Apply the RunnerSets first: "${dayfly} import arc --live" makes them. They wait until ARC gives its scale sets up.
Jobs that wait stay in the scale set. Runners with a job finish it under ARC. A cut takeover goes on with the next run.
Leave ARC's controller in place until nothing is left to do: it removes its own objects.
Exit codes: 0 nothing is left to do, or every step is done; 1 something is left to do; 2 wrong usage.`,
    )
    .action((sets: readonly string[], options: Options) =>
      onCluster(options, async (opened) => {
        process.exitCode = await takeover(opened, sets, options)
      }),
    )
}

async function takeover(opened: Opened, sets: readonly string[], options: Options): Promise<number> {
  const facts = await read(opened, sets)
  if (facts.unknown.length > 0) throw unknownSets(facts, opened.namespace)
  const plan = options.rollback ? planArcRollback(facts) : planArcTakeover(facts, options.deliveryPaused === true)
  const code = await showOrPerform(plan, wording, options, (signal, report) => {
    if (!options.rollback) printNote("ARC's listener may take a minute to end.")
    return performArcTakeover({ ...opened, signal }, plan.steps, report)
  })
  return plan.untouched.length > 0 ? Math.max(code, 1) : code
}

async function read(opened: Opened, sets: readonly string[]): Promise<ArcFacts> {
  try {
    return await gatherArc(opened, opened.namespace, sets)
  } catch (error) {
    if (!(error instanceof AccessFailure) || error.error.kind !== 'not-found') throw error
    const sentence = 'The cluster does not have the kind RunnerSet.'
    const next = 'Install Dayfly first, and check with --context which cluster is meant.'
    throw new CliFailure({ code: 'kind-missing', sentence, next, cause: error, exitCode: 1 })
  }
}

function unknownSets({ unknown, existing }: ArcFacts, namespace: string | undefined): CliFailure {
  const where = namespace === undefined ? 'this cluster' : `the namespace ${namespace}`
  const quoted = unknown.map((name) => `"${name}"`).join(', ')
  const sentence = `There is no AutoscalingRunnerSet ${quoted} of ARC in ${where}, and no RunnerSet has taken it over.`
  const next =
    existing.length > 0
      ? `Choose one of: ${existing.slice(0, 10).join(', ')}${existing.length > 10 ? ', …' : ''}.`
      : 'ARC has no set here. Name the namespace with -n, or search all with -A.'
  return new CliFailure({ code: 'set-unknown', sentence, next })
}
