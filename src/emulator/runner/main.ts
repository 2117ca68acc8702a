// The small runner: takes its credential as the real one does, runs at most one job, and ends with the official image's exit codes.
import type { Clock } from '../../lib/clock.ts'
import { systemClock, systemRandom } from '../../lib/system.ts'
import { runLife } from './life.ts'
import { createStopper, type Stopper } from './stopper.ts'

const credentialName = 'ACTIONS_RUNNER_INPUT_JITCONFIG'

/** Whoever reads the output gets so long for the rest of it. */
const exitMs = 2_000

/** After a signal the end comes within Kubernetes' default grace of 30 s, also when the forge no longer answers. */
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
  // Nobody reads what this program prints any more: the job matters more.
  process.stdout.on('error', () => {})
  const code = await runLife(encoded, host).catch((error: unknown) => {
    print(`The runner ended unexpectedly: ${error instanceof Error ? error.stack : error}\n`)
    return 0
  })
  const exit = () => process.exit(signalled() ?? code)
  clock.after(exitMs, exit)
  process.stdout.write('', exit)
}

/** A signal's exit code, once one has come: the image's shell ends with 128 and the signal's number, whatever the job became. */
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

/** What steps may see: the real runner keeps its own inputs to itself. */
function inheritedVariables(): Readonly<Record<string, string>> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => {
      return entry[1] !== undefined && !entry[0].startsWith('ACTIONS_RUNNER_INPUT_')
    }),
  )
}

/** Joins what is printed in one turn to one write; one promise for everyone who prints while the output is congested. */
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
