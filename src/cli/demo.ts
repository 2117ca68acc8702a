// `dayfly demo`: forge, controller and cluster on this machine, in one command, and nothing left of them at the end.
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
  dayfly demo                                        the example workflows; Ctrl-C ends it
  dayfly demo .github/workflows/ci.yml --exit        a workflow of yours; exit code 1 when a job fails
  dayfly demo --jobs 200 --max 20 --json             two hundred jobs, and what came of them as JSON`

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Runs workflow files through an emulated GitHub, the controller and an embedded cluster, all on this machine.\nSteps run as you, without a sandbox: run only workflows you trust. Nothing is left at the end.',
    )
    .argument('[workflow.yml...]', 'workflow files; the examples unless given')
    .option('--jobs <number>', 'repeat the workflows until there are so many jobs', wholeNumber('--jobs', 1, 100_000))
    .option('--interval <ms>', 'from one run of a workflow to the next', wholeNumber('--interval', 0, 3_600_000), 0)
    .option('--max <number>', 'runners at once', wholeNumber('--max', 1, 1_000), 10)
    .option('--exit', 'end when all jobs have ended, instead of on Ctrl-C')
    .option('--json', 'print the result as one JSON object on stdout; implies --exit')
    .addHelpText('after', examples)
    .action(demo)
}

async function demo(files: readonly string[], options: Options): Promise<void> {
  const runner = runnerProgram()
  const inputs = await readInput(files.length > 0 ? files : exampleFiles(), process.env['PATH'] ?? '')
  const runs = scheduleRuns(inputs, options.jobs)
  const clock = systemClock()
  for (const directory of await endAbandoned(clock)) printNote(`removed what an earlier demo left in ${directory}`)
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
