// `dayfly status`: the runner sets with their counts, what is wrong with each, and which controller leads.
import { describeFailure } from '@dayfly/command-line/failure'
import { columnsOf, isTerminal, printJson, printNote, printResult } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { untilInterrupted } from '@dayfly/command-line/until-interrupted'
import { Command } from 'commander'
import { readControllerPods } from '../operate/controller-pods.ts'
import { type Overview, readOverview } from '../operate/overview.ts'
import { faultsIn } from '../operate/problems.ts'
import { type ClusterOptions, type Opened, onCluster, withCluster } from './options.ts'
import { refusing } from './refusals.ts'
import { requireNamespace } from './require-namespace.ts'
import { type Status, statusJson, statusLines } from './show-status.ts'

type Options = ClusterOptions & { readonly watch?: true }

/** How often `--watch` reads again, in milliseconds. */
const everyMs = 2_000

export function statusCommand(): Command {
  const dayfly = programName()
  return withCluster(new Command('status'))
    .description('Shows the runner sets: their counts, what is wrong with each, and which controller leads.')
    .option('-w, --watch', 'show changes until Ctrl-C')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} status                 the sets of the namespace of the context
  ${dayfly} status -A --watch      all sets, again and again
  ${dayfly} status -A --json       for programs; an unknown count is null

A "?" is a count that is not known. It never means 0.
Exit codes: 0 every set works, 1 a set has a problem, no controller runs, or the cluster cannot be read, 2 wrong usage.`,
    )
    .action((options: Options) =>
      onCluster(options, async (opened) => {
        process.exitCode = options.watch ? await watch(opened, options) : await show(opened, options)
      }),
    )
}

async function show(opened: Opened, options: Options): Promise<number> {
  const status = await readStatus(opened)
  if (status.sets.length === 0) await requireNamespace(opened)
  print(status, opened, options)
  return isFine(status) ? 0 : 1
}

async function readStatus(opened: Opened): Promise<Status> {
  const { namespace, lease } = opened
  const overview = await readOverview(opened, namespace, lease)
  return { ...overview, pods: await readControllerPods(opened, overview, namespace, lease) }
}

function print(status: Status, { namespace }: Opened, { json }: Options): void {
  if (json) printJson(statusJson(status))
  else printResult(`${statusLines(status, namespace, columnsOf()).join('\n')}\n`)
}

/** Nothing works without a controller that leads, also if there is no set yet. An unknown leader is not a problem. */
function isFine({ sets, leaders }: Overview): boolean {
  const isLed = !leaders.known || leaders.value.some(({ is }) => is === 'leading')
  return isLed && sets.every(({ problems }) => faultsIn(problems).length === 0)
}

/** Shows the first situation, then each that differs. A terminal is cleared before each. An error after the first situation may pass. */
async function watch(opened: Opened, options: Options): Promise<number> {
  let shown = ''
  let failing = ''
  return untilInterrupted(async (signal) => {
    for (;;) {
      try {
        const status = await refusing(opened, () => readStatus(opened))
        const { at: _at, ...rest } = status
        const live = isTerminal() && !options.json
        const now = JSON.stringify(live ? status : { ...rest, leaders: leadersOf(status) })
        if (now !== shown) {
          if (live) printResult('\x1b[H\x1b[2J')
          else if (shown !== '' && !options.json) printResult('\n')
          print(status, opened, options)
        }
        shown = now
        failing = ''
      } catch (error) {
        if (shown === '') throw error
        const text = describeFailure(error, false)
        if (text !== failing) printNote(text)
        failing = text
      }
      await opened.clock.sleep(everyMs, signal)
    }
  })
}

/** A renewal of the Lease is no change. */
function leadersOf({ leaders }: Overview): unknown {
  return leaders.known ? leaders.value.map(({ is, holder }) => [is, holder]) : leaders.why
}
