// The main program of the small runner. It takes its credential like the real runner, runs at most one job, and exits with the official image's codes.
import type { Clock } from '../../lib/clock.ts'
import { systemClock, systemRandom } from '../../lib/system.ts'
import { runLifecycle } from './lifecycle.ts'
import { createStopper, type Stopper } from './stopper.ts'

const credentialName = 'ACTIONS_RUNNER_INPUT_JITCONFIG'

/** The time that the reader of the output has for the rest of it. */
const exitMs = 2_000

/** The time from a signal to the forced exit. It is below Kubernetes' default grace period of 30 s, even if the forge does not respond. */
const graceMs = 25_000

await main()

async function main(): Promise<void> {
  const stopper = createStopper()
  const print = createPrint()
  const clock = systemClock()
  const signalled = stopOnSignals(stopper, clock)
  const encoded = process.env[credentialName]
  delete process.env[credentialName]
  const host = {
    clock,
    random: systemRandom(),
    stopper,
    inherited: inheritedVariables(),
    directory: process.cwd(),
    print,
  }
  // A closed output must not end the job.
  process.stdout.on('error', () => {})
  const code = await runLifecycle(encoded, host).catch((error: unknown) => {
    print(`The runner ended unexpectedly: ${error instanceof Error ? error.stack : error}\n`)
    return 0
  })
  const exit = () => process.exit(signalled() ?? code)
  clock.after(exitMs, exit)
  process.stdout.write('', exit)
}

/** Stops the runner on signals. Returns a function for the exit code: 128 plus the signal's number, as in the image, or undefined without a signal. */
function stopOnSignals(stopper: Stopper, clock: Clock): () => number | undefined {
  let code: number | undefined
  const codes = { SIGTERM: 143, SIGINT: 130 } as const
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (code === undefined) clock.after(graceMs, () => process.exit(code))
      code ??= codes[signal]
      stopper.stop('shutdown')
    })
  }
  return () => code
}

/** Returns the variables that steps may see. As in the real runner, they do not include the runner's own inputs. */
function inheritedVariables(): Readonly<Record<string, string>> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => {
      return entry[1] !== undefined && !entry[0].startsWith('ACTIONS_RUNNER_INPUT_')
    }),
  )
}

/** Joins the text of one event-loop turn to one write. While the output is congested, all callers get the same promise. */
function createPrint(): (text: string) => Promise<void> | undefined {
  const { stdout } = process
  let pending = ''
  let drained: Promise<void> | undefined
  const write = () => {
    const text = pending
    pending = ''
    if (stdout.write(text) || stdout.destroyed || drained) return
    drained = new Promise((resolve) => {
      const go = () => {
        stdout.off('drain', go).off('close', go)
        drained = undefined
        resolve()
      }
      stdout.on('drain', go).on('close', go)
    })
  }
  return (text) => {
    if (pending === '') queueMicrotask(write)
    pending += text
    return drained
  }
}
