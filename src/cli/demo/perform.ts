// One demo from the first job to the last trace: starts the stage, plays the runs, shows what happens, tells what came of it.
import type { Clock } from '../../lib/clock.ts'
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
import { tellJob } from './view.ts'
import { warningOf } from './warnings.ts'

export type DemoPlan = {
  readonly runs: readonly Input[]
  /** Whether the result tells each job and step. */
  readonly detailed: boolean
  readonly runner: string
  readonly interval: number
  readonly max: number
  readonly exit: boolean
  readonly json: boolean
}

/** Every job is told where there are few; of many only those that failed. */
const toldJobsMax = 50
const toldLogLines = 20
const calmMs = 3_000
const retireMs = 15_000

/** Resolves with the exit code; rejects with the signal's reason when it is interrupted. Nothing runs on either way. */
export async function perform(plan: DemoPlan, home: Home, clock: Clock, until: AbortSignal): Promise<number> {
  const started = clock.now()
  const total = plan.runs.reduce((sum, { workflow }) => sum + countJobs(workflow), 0)
  const show: { screen?: Screen; stage?: DemoStage } = {}
  const score = scorekeeper((job) => {
    const lines = total <= toldJobsMax || job.result !== 'succeeded' ? tellFinished(job, show.stage) : []
    if (lines.length > 0) show.screen?.tell(lines)
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
      if (warning) show.screen?.tell([warning])
    },
  })
  show.stage = stage
  greet(home)
  show.screen = openScreen(score.read, clock)
  try {
    const played = await playRuns(plan.runs, plan.interval, { ...stage, clock, score }, until)
    if (!plan.exit) await stayUntil(until, show.screen)
    await calm(score, clock)
    show.screen.close()
    const leftovers = await stage.retire(retireMs)
    tellEnd({ plan, played, leftovers, score, apiWrites: stage.apiWrites(), wallMs: clock.now() - started })
    return played.every(({ conclusion }) => conclusion === 'success') ? 0 : 1
  } finally {
    show.screen.close()
    await stage.stop()
  }
}

function greet({ kubeconfig }: Home): void {
  printNote('forge, controller and cluster run on this machine; look at them with')
  printNote(`  kubectl --kubeconfig ${kubeconfig} get runnersets,pods\n`)
}

/** The last runners end by themselves, as those before them did; who is idle by now waits for work that does not come. */
async function calm(score: Scorekeeper, clock: Clock): Promise<void> {
  const deadline = clock.now() + calmMs
  const isEnding = () => score.read().runners.busy + score.read().runners.ending > 0
  while (isEnding() && clock.now() < deadline) await clock.sleep(20)
}

async function stayUntil(until: AbortSignal, shown: Screen): Promise<never> {
  shown.tell(['all jobs have ended; the demo goes on until Ctrl-C'])
  await aborted(until)
  throw until.reason
}

function tellFinished(job: FinishedJob, stage: DemoStage | undefined): readonly string[] {
  const lines = tellJob(job, screen())
  if (job.result === 'succeeded') return lines
  const log = stage?.control.job(job.id)?.log.lines.slice(-toldLogLines) ?? []
  return [...lines, ...log.map((line) => `    | ${line}`)]
}

type End = {
  readonly plan: DemoPlan
  readonly played: readonly PlayedRun[]
  readonly leftovers: Leftovers
  readonly score: Scorekeeper
  readonly apiWrites: number
  readonly wallMs: number
}

function tellEnd({ plan, played, leftovers, score, apiWrites, wallMs }: End): void {
  const left = describeLeftovers(leftovers)
  for (const line of left) printNote(line)
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  const report = demoReport({ score: score.read(), leftovers, apiWrites, wallMs, peakRssBytes })
  if (plan.json) printJson(plan.detailed ? { ...report, runs: played.map(outcomeOf) } : report)
  else
    printNote(
      `${report.runners} runners for ${report.jobs} jobs, ${report.ranTwice} ran twice, ${left.length || 'nothing'} left behind`,
    )
}

/** What became of each job and step. */
function outcomeOf({ workflow, file, conclusion, jobs }: PlayedRun) {
  const outcomes = jobs.map(({ name, conclusion, report }) => ({
    name,
    conclusion,
    steps: (report?.steps ?? []).map(({ name, conclusion, outcome }) => ({ name, conclusion, outcome })),
  }))
  return { workflow, file, conclusion, jobs: outcomes }
}

const passedOn = /^(PATH|LANG|LC_\w+|TZ|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO)$/i

/** What steps get of our environment: the ways to programs and networks, nothing that may be secret. */
function stepEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(([name, value]) => passedOn.test(name) && value !== undefined)
  return Object.fromEntries(entries as [string, string][])
}
