// Runs one demo: it starts the forge, the controller and the cluster, runs the workflows, shows the progress and prints the result.
import type { Clock } from '../../lib/clock.ts'
import { printableLine } from '../../lib/printable.ts'
import { aborted } from '../../lib/signals.ts'
import { systemRandom } from '../../lib/system.ts'
import { printJson, printNote, screen } from '../output.ts'
import { version } from '../version.ts'
import type { Home } from './home.ts'
import type { Input } from './input.ts'
import { describeLeftovers, type Leftovers } from './leftovers.ts'
import { type PlayedRun, playRuns } from './play.ts'
import { demoReport } from './report.ts'
import { countJobs } from './schedule.ts'
import { type FinishedJob, type Scorekeeper, scorekeeper } from './score.ts'
import { openScreen, type Screen } from './screen.ts'
import { type DemoStage, openStage } from './stage.ts'
import { stepEnvironment } from './step-environment.ts'
import { jobLines } from './view.ts'
import { warningOf } from './warnings.ts'

export type DemoPlan = {
  readonly runs: readonly Input[]
  /** Whether the JSON result contains each job and step. */
  readonly detailed: boolean
  readonly runner: string
  readonly interval: number
  readonly max: number
  readonly exit: boolean
  readonly json: boolean
}

/** Up to this number of jobs the demo prints every job, otherwise only failed jobs. */
const printedJobsMax = 50
const printedLogLines = 20
const lastRunnersMs = 3_000
const retireMs = 15_000

/** Resolves with the exit code after everything has stopped. Rejects with the signal's reason if it is interrupted. */
export async function perform(plan: DemoPlan, home: Home, clock: Clock, until: AbortSignal): Promise<number> {
  const started = clock.now()
  const total = plan.runs.reduce((sum, { workflow }) => sum + countJobs(workflow), 0)
  const show: { screen?: Screen; stage?: DemoStage } = {}
  const score = scorekeeper((job) => {
    const lines = total <= printedJobsMax || job.result !== 'succeeded' ? finishedLines(job, show.stage) : []
    if (lines.length > 0) show.screen?.print(lines)
  })
  const stage = await openStage({
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
      if (warning) show.screen?.print([warning])
    },
  })
  show.stage = stage
  printIntroduction(home)
  show.screen = openScreen(score.read, clock)
  try {
    const played = await playRuns(plan.runs, plan.interval, { ...stage, clock, score }, until)
    if (!plan.exit) await stayUntil(until, show.screen)
    await waitForLastRunners(score, clock)
    show.screen.close()
    const leftovers = await stage.retire(retireMs)
    printResultOf({ plan, played, leftovers, score, apiWrites: stage.apiWrites(), wallMs: clock.now() - started })
    return played.every(({ conclusion }) => conclusion === 'success') ? 0 : 1
  } finally {
    show.screen.close()
    await stage.stop()
  }
}

function printIntroduction({ kubeconfig }: Home): void {
  printNote('The forge, the controller and the cluster run on this machine. To look at the cluster, run:')
  printNote(`  kubectl --kubeconfig ${kubeconfig} get runnersets,pods\n`)
}

/** Waits until no runner is busy or ending. Idle runners do not end by themselves, because no further job comes. */
async function waitForLastRunners(score: Scorekeeper, clock: Clock): Promise<void> {
  const deadline = clock.now() + lastRunnersMs
  const isEnding = () => score.read().runners.busy + score.read().runners.ending > 0
  while (isEnding() && clock.now() < deadline) await clock.sleep(20)
}

async function stayUntil(until: AbortSignal, shown: Screen): Promise<never> {
  shown.print(['All jobs have ended. Press Ctrl-C to stop the demo.'])
  await aborted(until)
  throw until.reason
}

function finishedLines(job: FinishedJob, stage: DemoStage | undefined): readonly string[] {
  const lines = jobLines(job, screen())
  if (job.result === 'succeeded') return lines
  const log = stage?.control.job(job.id)?.log.lines.slice(-printedLogLines) ?? []
  return [...lines, ...log.map((line) => `    | ${printableLine(withoutColours(line))}`)]
}

/** Removes the colours that a step's programs print. */
function withoutColours(line: string): string {
  return line.replace(/\x1b\[[0-9;]*m/g, '')
}

type End = {
  readonly plan: DemoPlan
  readonly played: readonly PlayedRun[]
  readonly leftovers: Leftovers
  readonly score: Scorekeeper
  readonly apiWrites: number
  readonly wallMs: number
}

function printResultOf({ plan, played, leftovers, score, apiWrites, wallMs }: End): void {
  const left = describeLeftovers(leftovers)
  for (const line of left) printNote(line)
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  const report = demoReport({ score: score.read(), leftovers, apiWrites, wallMs, peakRssBytes })
  if (plan.json) printJson(plan.detailed ? { ...report, runs: played.map(outcomeOf) } : report)
  else
    printNote(
      `Runners: ${report.runners}. Jobs: ${report.jobs}. Jobs that ran twice: ${report.ranTwice}. Left behind: ${left.length || 'nothing'}.`,
    )
}

/** Returns the conclusion of each job and step. */
function outcomeOf({ workflow, file, conclusion, jobs }: PlayedRun) {
  const outcomes = jobs.map(({ name, conclusion, report }) => ({
    name,
    conclusion,
    steps: (report?.steps ?? []).map(({ name, conclusion, outcome }) => ({ name, conclusion, outcome })),
  }))
  return { workflow, file, conclusion, jobs: outcomes }
}
