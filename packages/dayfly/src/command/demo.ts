// `dayfly demo`: runs the forge, the controller and the cluster on this machine, and removes everything at the end.
import { endAbandoned, type Home, homeKeeper } from '@dayfly/cluster/command/home'
import { Interrupted, listenForInterruption } from '@dayfly/command-line/interruption'
import { wholeNumber } from '@dayfly/command-line/option-values'
import { printNote } from '@dayfly/command-line/output'
import { exampleFiles, readInput, readPipelines, runnerProgram } from '@dayfly/forge-emulators/command/input'
import type { Clock } from '@dayfly/kit/clock'
import { systemClock } from '@dayfly/kit/system'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { Command, Option } from 'commander'
import { bitbucketShow, countSteps } from './demo/bitbucket/play.ts'
import { planInputs } from './demo/gitea/jobs.ts'
import { giteaShow } from './demo/gitea/play.ts'
import { githubShow } from './demo/github/play.ts'
import { type DemoPlan, perform } from './demo/perform.ts'
import { countJobs, scheduleRuns } from './demo/schedule.ts'

type Options = {
  readonly forge: ForgeKind
  readonly jobs?: number
  readonly interval: number
  readonly max: number
  readonly exit?: true
  readonly open?: true
  readonly strict?: true
  readonly json?: true
}

const examples = `
Examples:
  dayfly demo                                    run the example workflows; press Ctrl-C to stop
  dayfly demo .github/workflows/ci.yml --exit    run your own workflow; exit code 1 if a job fails
  dayfly demo --jobs 200 --max 20 --json         run 200 jobs and print the result as JSON
  dayfly demo --forge gitea                      run the example workflows on an emulated Gitea
  dayfly demo --forge bitbucket                  run 12 steps of the example pipelines`

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Runs workflow files on this machine, with an emulated forge, the controller and an embedded cluster.\nSteps run as your user, without a sandbox. Run only workflows that you trust.\nThe demo removes everything at the end.',
    )
    .argument('[file.yml...]', 'workflow or pipelines files to run (default: the examples of this package)')
    .addOption(
      new Option('--forge <forge>', 'the emulated forge')
        .choices(['github', 'bitbucket', 'gitea'] satisfies ForgeKind[])
        .default('github'),
    )
    .option('--jobs <number>', 'repeat the workflows until there are this many jobs', wholeNumber('--jobs', 1, 100_000))
    .option(
      '--interval <ms>',
      'time between workflow runs, in milliseconds',
      wholeNumber('--interval', 0, 3_600_000),
      0,
    )
    .option('--max <number>', 'maximum number of runners at the same time', wholeNumber('--max', 1, 1_000), 10)
    .option('--exit', 'exit when all jobs have ended, without waiting for Ctrl-C')
    .option('--open', 'show the page of the demo in the browser of this machine')
    .option('--strict', 'fail if a step was skipped because this machine does not run its action')
    .option('--json', 'print the result as one JSON object to stdout; implies --exit')
    .addHelpText('after', examples)
    .action(demo)
}

/** Reads every file before anything starts. Resolves with the work on the forge. */
async function prepare(files: readonly string[], { forge, jobs }: Options): Promise<Perform> {
  const searchPath = process.env['PATH'] ?? ''
  const workflows = () => readInput(files.length > 0 ? files : exampleFiles('workflows'), searchPath)
  switch (forge) {
    case 'github': {
      const show = githubShow(scheduleRuns(await workflows(), jobs, ({ workflow }) => countJobs(workflow)))
      return (plan, ...rest) => perform({ ...plan, show }, ...rest)
    }
    case 'gitea': {
      const show = giteaShow(scheduleRuns(planInputs(await workflows()), jobs, ({ plans }) => plans.length))
      return (plan, ...rest) => perform({ ...plan, show }, ...rest)
    }
    case 'bitbucket': {
      const inputs = await readPipelines(files.length > 0 ? files : exampleFiles('bitbucket'), searchPath)
      const wanted = jobs ?? (files.length > 0 ? undefined : exampleSteps)
      const show = bitbucketShow(scheduleRuns(inputs, wanted, ({ pipeline }) => countSteps(pipeline)))
      return (plan, ...rest) => perform({ ...plan, show }, ...rest)
    }
  }
}

type Perform = (
  plan: Omit<DemoPlan, 'show'>,
  ...rest: readonly [home: Home, clock: Clock, until: AbortSignal]
) => Promise<number>

/** Failures belong to what the examples show. */
const ofWorkflows =
  'Two of the example jobs fail on purpose: "fails" ends with an error, and "hangs" exceeds its time limit.'
const announcements: Readonly<Record<ForgeKind, string>> = {
  github: ofWorkflows,
  gitea: ofWorkflows,
  bitbucket: 'Two of the example steps fail on purpose: "breaks" ends with an error, and "stopped" ends with it.',
}

/** The number of steps that the example pipelines run together. */
const exampleSteps = 12

async function demo(files: readonly string[], options: Options): Promise<void> {
  const runner = runnerProgram()
  const performed = await prepare(files, options)
  const clock = systemClock()
  for (const directory of await endAbandoned(clock))
    printNote(`removed the leftovers of an earlier demo in ${directory}`)
  const keeper = homeKeeper(clock)
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  process.once('exit', keeper.removeAtOnce)
  try {
    const json = options.json === true
    const plan = {
      ...options,
      json,
      exit: json || options.exit === true,
      open: options.open === true,
      strict: options.strict === true,
      announcement: files.length > 0 ? undefined : announcements[options.forge],
      runner,
      detailed: files.length > 0 && options.jobs === undefined,
    }
    process.exitCode = await performed(plan, keeper.home, clock, interruption.signal)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    process.exitCode = error.exitCode
  } finally {
    await keeper.remove()
    process.off('exit', keeper.removeAtOnce)
    interruption.release()
  }
}
