// `dayfly lab`: reproduces an incident on an embedded cluster, explains it, applies its remedy, and shows that it holds.
import { writeFileSync } from 'node:fs'
import type { Profile } from '@dayfly/cluster/api/api'
import { endAbandoned, homeKeeper } from '@dayfly/cluster/command/home'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { CliFailure } from '@dayfly/command-line/failure'
import { listenForInterruption } from '@dayfly/command-line/interruption'
import { columnsOf, printJson, printLine, printNote } from '@dayfly/command-line/output'
import { listenOn } from '@dayfly/command-line/port'
import { programName } from '@dayfly/command-line/program-name'
import { nearest } from '@dayfly/kit/nearest'
import { systemClock } from '@dayfly/kit/system'
import { Command, Option } from 'commander'
import { incidents } from '../lab/catalogue.ts'
import { adminName, type EmbeddedWorld } from '../lab/embedded-world.ts'
import type { Part } from '../lab/evidence.ts'
import { followClock } from '../lab/follow-clock.ts'
import type { Incident } from '../lab/incident.ts'
import { type LabOptions, type LabResult, runIncident } from '../lab/lab.ts'
import { dayflyParts } from './lab/dayfly-parts.ts'
import { evidenceLines, explanationLines, openingLines, verdictLine } from './lab/show-incident.ts'

type Options = { readonly profile: Profile; readonly json?: true; readonly keep?: true }

const profiles = ['1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36'] as const satisfies readonly Profile[]

/** The clusters start in the past: an incident of days then ends before now. */
const pastMs = 3 * 24 * 3_600_000

export function labCommand(): Command {
  const dayfly = programName()
  return new Command('lab')
    .description(
      'Reproduces an incident of CI runners or an outage of their forge on an embedded cluster, explains it, and shows the remedy.\nTime is virtual: days pass in seconds. No container and no network is used. Without an incident, lists them.',
    )
    .argument('[incident]', 'the id of the incident')
    .addOption(new Option('--profile <version>', 'Kubernetes version to behave like').choices(profiles).default('1.36'))
    .option('--keep', 'afterwards leave the cluster up for kubectl, until Ctrl-C')
    .option('--json', 'print {incident, reproduced, cured, evidence} as one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} lab                                   list the incidents
  ${dayfly} lab zombie-pod                        a Bitbucket job that never completes
  ${dayfly} lab silent-rejection --profile 1.34   the same on an older Kubernetes
  ${dayfly} lab stuck-hook --keep                 look around with kubectl afterwards
  ${dayfly} lab forge-assigns-nothing             an outage of GitHub: online runners get no job

Exit codes: 0 the incident was reproduced and its remedy holds; 1 one of them was not seen; 2 wrong usage.`,
    )
    .action(async (id: string | undefined, options: Options) => {
      if (id === undefined) list(options)
      else process.exitCode = await lab(incidentOf(id), options)
    })
}

function list({ json }: Options): void {
  if (json) {
    printJson({ incidents: incidents.map(({ id, code, title }) => ({ id, code, title })) })
    return
  }
  const width = Math.max(...incidents.map(({ id }) => id.length))
  for (const { id, code, title } of incidents) printLine(`${code}  ${id.padEnd(width)}  ${title}`)
  printLine(`\nRun one with: ${programName()} lab ${incidents[0]?.id}`)
}

function incidentOf(id: string): Incident {
  const found = incidents.find((one) => one.id === id || one.code === id.toUpperCase())
  if (found) return found
  const ids = incidents.map((one) => one.id)
  const guess = nearest(id, ids)
  const next = guess ? `Did you mean "${guess}"?` : `The incidents are: ${ids.join(', ')}.`
  throw new CliFailure({ code: 'incident-unknown', sentence: `There is no incident "${id.slice(0, 80)}".`, next })
}

async function lab(incident: Incident, options: Options): Promise<number> {
  const { profile, json } = options
  const columns = Math.min(columnsOf(), 100)
  const show = (lines: readonly string[]) => {
    if (!json) printLine(lines.join('\n'))
  }
  show(openingLines(incident, profile, columns))
  let before: Part | undefined
  const run: Omit<LabOptions, 'keep'> = {
    profile,
    start: systemClock().now() - pastMs,
    dayfly: dayflyParts(),
    onEvidence: (entry) => {
      show(evidenceLines(entry, before, columns))
      before = entry.part
    },
  }
  const conclude = (result: LabResult) => {
    show([...explanationLines(incident, columns), '', verdictLine(result)])
    if (json) printJson(result)
  }
  const result = options.keep ? await runAndKeep(incident, run, conclude, options) : await runIncident(incident, run)
  if (!options.keep) conclude(result)
  return result.reproduced && result.cured ? 0 : 1
}

/** Leaves the cluster up until the operator interrupts. */
async function runAndKeep(
  incident: Incident,
  run: Omit<LabOptions, 'keep'>,
  conclude: (result: LabResult) => void,
  { json }: Options,
): Promise<LabResult> {
  const clock = systemClock()
  await endAbandoned(clock)
  const keeper = homeKeeper(clock)
  const { signal, release } = listenForInterruption(({ exitCode }) => {
    keeper.removeAtOnce()
    process.exit(exitCode)
  })
  const keep = async (world: EmbeddedWorld, result: LabResult) => {
    conclude(result)
    const { kubeconfig } = keeper.home
    const { origin, ca } = await listenOn({ listen: () => world.cluster.listen() }, 0, 'The cluster')
    const text = kubeconfigText({ server: origin, ca, user: adminName, token: world.token })
    writeFileSync(kubeconfig, text, { mode: 0o600 })
    if (json) printJson({ url: origin, kubeconfig })
    else
      printLine(
        `\nThe cluster stays up until Ctrl-C. Look at it with:\n\n  export KUBECONFIG=${kubeconfig}\n  ${incident.look}`,
      )
    await followClock(world.clock, clock, signal)
  }
  try {
    return await runIncident(incident, { ...run, keep })
  } finally {
    await keeper.remove()
    release()
    if (signal.aborted) printNote('the cluster is gone')
  }
}
