// Runs one demo: it starts the forge, the controller and the cluster, runs the workflows, shows the progress and prints the result.
import type { Home } from '@dayfly/cluster/command/home'
import { printJson, printNote, screen } from '@dayfly/command-line/output'
import { version } from '@dayfly/command-line/version'
import { stepEnvironment } from '@dayfly/forge-emulators/command/step-environment'
import type { Clock } from '@dayfly/kit/clock'
import { printableLine } from '@dayfly/kit/printable'
import { aborted } from '@dayfly/kit/signals'
import { systemRandom } from '@dayfly/kit/system'
import type { DemoForge, PlayedRun, Show } from './forge.ts'
import { describeLeftovers, type Leftovers } from './leftovers.ts'
import { openInBrowser } from './open-browser.ts'
import { demoReport } from './report.ts'
import { type FinishedJob, type Scorekeeper, scorekeeper } from './score.ts'
import { openScreen, type Screen } from './screen.ts'
import { type DemoStage, openStage } from './stage.ts'
import { jobLines } from './view.ts'
import { warningOf } from './warnings.ts'

export type DemoPlan<Opened extends DemoForge = DemoForge> = {
  readonly show: Show<Opened>
  /** Whether the JSON result contains each job and step. */
  readonly detailed: boolean
  readonly runner: string
  readonly interval: number
  readonly max: number
  readonly exit: boolean
  /** Whether to show the page in the browser of this machine. */
  readonly open: boolean
  /** Whether a step that this machine does not run is a failure. */
  readonly strict: boolean
  /** A sentence for the user before the start; undefined for work of their own. */
  readonly announcement: string | undefined
  readonly json: boolean
}

/** Up to this number of jobs the demo prints every job, otherwise only failed jobs. */
const printedJobsMax = 50
const printedLogLines = 20
const lastRunnersMs = 3_000
const retireMs = 15_000

/** Resolves with the exit code after everything has stopped. Rejects with the signal's reason if it is interrupted. */
export async function perform<Opened extends DemoForge>(
  plan: DemoPlan<Opened>,
  home: Home,
  clock: Clock,
  until: AbortSignal,
): Promise<number> {
  const started = clock.now()
  const { show } = plan
  const opened: { screen?: Screen; stage?: DemoStage<Opened> } = {}
  const score = scorekeeper((job) => {
    const isShown = show.jobs <= printedJobsMax || job.result !== 'succeeded'
    const lines = isShown && opened.stage ? finishedLines(job, show, opened.stage.forge) : []
    if (lines.length > 0) opened.screen?.print(lines)
  })
  const stage = await openStage({
    openForge: show.open,
    home,
    clock,
    random: systemRandom(),
    max: plan.max,
    runner: plan.runner,
    environment: stepEnvironment(process.env),
    userAgent: `dayfly/${version}`,
    onEntry: (entry) => {
      score.journal(entry)
      const warning = warningOf(entry)
      if (warning) opened.screen?.print([warning])
    },
  })
  opened.stage = stage
  printIntroduction(home, stage.page)
  if (plan.open) openInBrowser(stage.page)
  if (plan.announcement !== undefined) printNote(`${plan.announcement}\n`)
  const shown = openScreen(score.read, clock)
  opened.screen = shown
  try {
    const played = await show.play(stage.forge, { clock, score, intervalMs: plan.interval }, until)
    if (!plan.exit) await stayUntil(until, shown)
    await waitForLastRunners(score, clock)
    shown.close()
    const leftovers = await stage.retire(retireMs)
    const figures = show.figures(stage.forge)
    const apiWrites = stage.apiWrites()
    printResultOf({ plan, played, leftovers, score, apiWrites, figures, wallMs: clock.now() - started })
    until.throwIfAborted()
    const isIncomplete = plan.strict && score.read().stepsSkipped > 0
    return !isIncomplete && played.every(({ conclusion }) => conclusion === 'success') ? 0 : 1
  } finally {
    shown.close()
    await stage.stop()
  }
}

function printIntroduction({ kubeconfig }: Home, page: string): void {
  printNote(`Watch it on the page: ${page}`)
  printNote('The forge, the controller and the cluster run on this machine. To look at the cluster, run:')
  printNote(`  kubectl --kubeconfig ${kubeconfig} get runnersets,pods\n`)
}

/** Waits until no runner is busy or ending. Idle runners do not end by themselves, because no further job comes. */
async function waitForLastRunners(score: Scorekeeper, clock: Clock): Promise<void> {
  const deadline = clock.now() + lastRunnersMs
  const isEnding = () => score.read().runners.busy + score.read().runners.ending > 0
  while (isEnding() && clock.now() < deadline) await clock.sleep(20)
}

async function stayUntil(until: AbortSignal, shown: Screen): Promise<void> {
  shown.print(['All jobs have ended. Press Ctrl-C to stop the demo.'])
  await aborted(until)
}

function finishedLines<Opened extends DemoForge>(
  job: FinishedJob,
  show: Show<Opened>,
  forge: Opened,
): readonly string[] {
  const lines = jobLines(job, screen())
  if (job.result === 'succeeded' || job.result === 'skipped') return lines
  const log = show.log(forge, job.id).flatMap(readable).slice(-printedLogLines)
  return [...lines, ...log.map((line) => `    | ${printableLine(withoutColours(line))}`)]
}

/** Renders GitHub's markers as its page does: the title of a group, and errors and warnings by their words. */
function readable(line: string): readonly string[] {
  const [, marker, text = ''] = /^##\[(\w+)\](.*)$/.exec(line) ?? []
  if (marker === undefined) return [line]
  if (marker === 'endgroup') return []
  if (marker === 'group') return [`▸ ${text}`]
  return [marker === 'error' || marker === 'warning' ? `${marker}: ${text}` : text]
}

/** Removes the colours that a step's programs print. */
function withoutColours(line: string): string {
  return line.replace(/\x1b\[[0-9;]*m/g, '')
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`
}

type End = {
  readonly plan: Pick<DemoPlan, 'json' | 'detailed' | 'strict'>
  readonly played: readonly PlayedRun[]
  readonly leftovers: Leftovers
  readonly score: Scorekeeper
  readonly apiWrites: number
  readonly figures: Readonly<Record<string, number>>
  readonly wallMs: number
}

function printResultOf({ plan, played, leftovers, score, apiWrites, figures, wallMs }: End): void {
  const left = describeLeftovers(leftovers)
  for (const line of left) printNote(line)
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  const common = demoReport({ score: score.read(), leftovers, apiWrites, wallMs, peakRssBytes })
  const report = { ...common, ...figures }
  const { stepsSkipped } = report
  if (plan.json) printJson(plan.detailed ? { ...report, runs: played } : report)
  else {
    const steps = stepsSkipped === 0 ? '' : ` ${count(stepsSkipped, 'step')} skipped: actions are not run.`
    printNote(
      `Runners: ${report.runners}. Jobs: ${report.jobs}. Jobs that ran twice: ${report.ranTwice}. Left behind: ${left.length || 'nothing'}.${steps}`,
    )
  }
  if (plan.strict && stepsSkipped > 0) printNote('The demo failed, because --strict allows no skipped step.')
}
