// `dayfly demo`: runs the forge, the controller and the cluster on this machine, and removes everything at the end.
import { Command } from 'commander'
import { systemClock } from '../lib/system.ts'
import { endAbandoned, homeKeeper } from './demo/home.ts'
import { exampleFiles, readInput, runnerProgram, wholeNumber } from './demo/input.ts'
import { perform } from './demo/perform.ts'
import { scheduleRuns } from './demo/schedule.ts'
import { Interrupted, listenForInterruption } from './interruption.ts'
import { printNote } from './output.ts'

type Options = {
  readonly jobs?: number
  readonly interval: number
  readonly max: number
  readonly exit?: true
  readonly json?: true
}

const examples = `
Examples:
  dayfly demo                                    run the example workflows; press Ctrl-C to stop
  dayfly demo .github/workflows/ci.yml --exit    run your own workflow; exit code 1 if a job fails
  dayfly demo --jobs 200 --max 20 --json         run 200 jobs and print the result as JSON`

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Runs workflow files on this machine, with an emulated GitHub, the controller and an embedded cluster.\nSteps run as your user, without a sandbox. Run only workflows that you trust.\nThe demo removes everything at the end.',
    )
    .argument('[workflow.yml...]', 'workflow files to run (default: the examples of this package)')
    .option('--jobs <number>', 'repeat the workflows until there are this many jobs', wholeNumber('--jobs', 1, 100_000))
    .option(
      '--interval <ms>',
      'time between workflow runs, in milliseconds',
      wholeNumber('--interval', 0, 3_600_000),
      0,
    )
    .option('--max <number>', 'maximum number of runners at the same time', wholeNumber('--max', 1, 1_000), 10)
    .option('--exit', 'exit when all jobs have ended, without waiting for Ctrl-C')
    .option('--json', 'print the result as one JSON object to stdout; implies --exit')
    .addHelpText('after', examples)
    .action(demo)
}

async function demo(files: readonly string[], options: Options): Promise<void> {
  const runner = runnerProgram()
  const inputs = await readInput(files.length > 0 ? files : exampleFiles(), process.env['PATH'] ?? '')
  const runs = scheduleRuns(inputs, options.jobs)
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
      runs,
      runner,
      detailed: files.length > 0 && options.jobs === undefined,
    }
    process.exitCode = await perform(plan, keeper.home, clock, interruption.signal)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    process.exitCode = error.exitCode
  } finally {
    await keeper.remove()
    process.off('exit', keeper.removeAtOnce)
    interruption.release()
  }
}
