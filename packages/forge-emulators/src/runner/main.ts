// The main program of the small runner. It takes its credential like the real runner of its forge.
// A GitHub runner runs at most one job and exits with the official image's codes. A Bitbucket runner runs step after step. A Gitea runner runs one task.
import type { Clock } from '@dayfly/kit/clock'
import { stackOf } from '@dayfly/kit/stack-of'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { readStateFile, stateFileName, type TaskRunnerCredential } from './gitea/credential.ts'
import { runLifecycle } from './lifecycle.ts'
import { ownVariables, readStepCredential } from './pipelines/credential.ts'
import { runDaemon } from './pipelines/daemon.ts'
import type { RunnerHost } from './session.ts'
import { createStopper, type Stopper } from './stopper.ts'

const credentialName = 'ACTIONS_RUNNER_INPUT_JITCONFIG'

/** The time that the reader of the output has for the rest of it. */
const exitMs = 2_000

/** The time from the last signal to the forced exit. It is below Kubernetes' default grace period of 30 s, even if the forge does not respond. */
const graceMs = 25_000

await main()

async function main(): Promise<void> {
  const print = createPrint()
  const clock = systemClock()
  // A closed output must not end the job.
  process.stdout.on('error', () => {})
  const host = { clock, random: systemRandom(), directory: process.cwd(), print }
  const { ended, signalled, crashCode } = starterOf(process.env)(host)
  const code = await ended.catch((error: unknown) => {
    print(`The runner ended unexpectedly: ${stackOf(error)}\n`)
    return crashCode
  })
  const exit = () => process.exit(signalled() ?? code)
  clock.after(exitMs, exit)
  process.stdout.write('', exit)
}

type Started = {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
  /** Returns the exit code of a signal; undefined without one. */
  signalled(): number | undefined
  /** The exit code of an error of this program. The images of GitHub and Bitbucket do not show it. */
  readonly crashCode: 0 | 1
}

type Machine = Omit<RunnerHost, 'stopper' | 'inherited'>

/** Chooses the forge by its credential. */
function starterOf(environment: NodeJS.ProcessEnv): (machine: Machine) => Started {
  if (environment['RUNNER_UUID'] !== undefined) return startDaemon
  return environment[stateFileName] === undefined ? startJob : startTask
}

/** A signal ends the job. */
function startJob(machine: Machine): Started {
  const stopper = createStopper()
  const signalled = stopOnSignals([stopper], machine.clock)
  const encoded = process.env[credentialName]
  delete process.env[credentialName]
  // As in the real runner, steps do not see the runner's own inputs.
  const inherited = inheritedVariables((name) => name.startsWith('ACTIONS_RUNNER_INPUT_'))
  return { ended: runLifecycle(encoded, { ...machine, stopper, inherited }), signalled, crashCode: 0 }
}

/** A first signal lets the step end, and a second one ends it. */
function startDaemon(machine: Machine): Started {
  const [stopper, force] = [createStopper(), createStopper()]
  const signalled = stopOnSignals([stopper, force], machine.clock)
  const credential = readStepCredential(process.env)
  const inherited = inheritedVariables((name) => ownVariables.includes(name))
  for (const name of ownVariables) delete process.env[name]
  if (typeof credential !== 'string') {
    return { ended: runDaemon(credential, { ...machine, stopper, force, inherited }), signalled, crashCode: 0 }
  }
  machine.print(`${credential}\n`)
  return { ended: Promise.resolve(1), signalled, crashCode: 0 }
}

/** A signal ends the job. */
function startTask(machine: Machine): Started {
  const stopper = createStopper()
  const signalled = stopOnSignals([stopper], machine.clock)
  const credential = readStateFile(process.env)
  const inherited = inheritedVariables((name) => name === stateFileName)
  if (typeof credential === 'string') {
    machine.print(`${credential}\n`)
    return { ended: Promise.resolve(1), signalled, crashCode: 1 }
  }
  return { ended: loadAndRun(credential, { ...machine, stopper, inherited }), signalled, crashCode: 1 }
}

/** Only this forge needs a reader of YAML, which would slow down the start of the other runners. */
async function loadAndRun(credential: TaskRunnerCredential, host: RunnerHost): Promise<number> {
  const { runOneTask } = await import('./gitea/one-task.ts')
  return await runOneTask(credential, host)
}

/**
 * Stops the next of the stoppers on each signal, and exits in any case some time after the last one.
 * Returns a function for the exit code: 128 plus the signal's number, as in the image, or undefined without a signal.
 */
function stopOnSignals(stoppers: readonly Stopper[], clock: Clock): () => number | undefined {
  let code: number | undefined
  let count = 0
  const codes = { SIGTERM: 143, SIGINT: 130 } as const
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      code ??= codes[signal]
      stoppers[count++]?.stop('shutdown')
      if (count === stoppers.length) clock.after(graceMs, () => process.exit(code))
    })
  }
  return () => code
}

/** Returns the variables that steps may see. */
function inheritedVariables(isOwn: (name: string) => boolean): Readonly<Record<string, string>> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined && !isOwn(entry[0])),
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
