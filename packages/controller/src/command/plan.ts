// `dayfly plan`: the decision of the controller about each set now, in words. It changes nothing.
import { columnsOf, printJson, printResult } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { Command } from 'commander'
import { type Judged, readOverview } from '../operate/overview.ts'
import { planOf, type SetPlan } from '../operate/plan.ts'
import type { Known } from '../operate/read.ts'
import { type ForgeReading, readSituation } from '../operate/situation.ts'
import { askForge } from './ask-forge.ts'
import { namedSet } from './named-set.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'
import { requireNamespace } from './require-namespace.ts'
import { type Planned, planJson, planLines } from './show-plan.ts'

type Options = ClusterOptions & { readonly forge?: true }

export function planCommand(): Command {
  const dayfly = programName()
  return withCluster(new Command('plan'))
    .description('Shows the decision of the controller about each set now, with its reasons. Changes nothing.')
    .argument('[set]', 'one set; default: all sets of the namespace')
    .option('--forge', 'ask the forge for demand and registrations, with the credential of the set')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} plan linux -n ci            why the set starts runners, or starts none
  ${dayfly} plan linux -n ci --forge    the same, with the demand that the forge reports now

Exit codes: 0 shown, 1 the cluster cannot be read, 2 wrong usage or no such set.`,
    )
    .action((name: string | undefined, options: Options) => onCluster(options, (opened) => show(opened, name, options)))
}

async function show(opened: Opened, name: string | undefined, options: Options): Promise<void> {
  const named = name === undefined ? undefined : await namedSet(opened, name)
  const overview = await readOverview(opened, named?.namespace ?? opened.namespace, opened.lease)
  if (overview.sets.length === 0) await requireNamespace(opened)
  const chosen = overview.sets.filter(({ view }) => named === undefined || view.uid === named.uid)
  const plans: Planned[] = []
  const sets = overview.sets.flatMap(({ view }) => view.set ?? [])
  for (const judged of chosen) plans.push(await planSet(opened, judged, sets, options))
  if (options.json) printJson({ at: new Date(overview.at).toISOString(), sets: plans.map(planJson) })
  else printResult(`${planLines(plans, opened.namespace, columnsOf()).join('\n')}\n`)
}

/** A set whose spec is not valid has no plan. */
async function planSet(
  opened: Opened,
  judged: Judged,
  sets: readonly RunnerSet[],
  { forge }: Options,
): Promise<Planned> {
  const { view, work } = judged
  if (!view.set) return { judged, plan: undefined, forge: undefined }
  const asked = forge ? await askForge(opened, { view, set: view.set, sets }) : undefined
  const reading = asked?.known ? asked.value : undefined
  const situation = await readSituation(opened, { view, set: view.set, work, forge: reading }, defaultLimits)
  return { judged, plan: withForge(planOf(situation, defaultLimits, opened.clock.now()), asked), forge: asked?.known }
}

function withForge(plan: SetPlan, asked: Known<ForgeReading> | undefined): SetPlan {
  if (!asked) return plan
  if (!asked.known) return { ...plan, unknown: [`The state at the forge: ${asked.why}.`, ...plan.unknown] }
  if (asked.value.demand !== undefined) return plan
  return { ...plan, unknown: ['The demand at the forge: it has no record of this set.', ...plan.unknown] }
}
