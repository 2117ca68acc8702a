// Runs the processes of a cluster. Each has its own log, and all of them end together.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Components = {
  start(name: string, command: readonly [string, ...string[]]): void
  /** Waits for the condition. Rejects with the end of a component's log if the component ends first. */
  until(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void>
  /** Returns the id of a process; NaN if it was not started. */
  pid(name: string): number
  /** Kills the process, as a crash of its machine would. */
  kill(name: string): Promise<void>
  /** Kills all processes without a grace period, because the cluster's data is not kept. */
  end(): Promise<void>
}

type Component = { readonly name: string; readonly child: ChildProcess; readonly log: string }

/** How long to wait for a component. Four seconds are usual on two idle cores. */
const readyMsMax = 120_000

/** Creates the set of processes. @param folder the folder for their logs. */
export function createComponents(folder: string): Components {
  const components: Component[] = []
  return {
    start: (name, [program, ...args]) => {
      const log = path.join(folder, `${name}.log`)
      const file = openSync(log, 'w')
      // Dayfly's own programs end when their standard input closes, so they also end if this process is killed.
      const child = spawn(program, args, { stdio: ['pipe', file, file] })
      closeSync(file)
      components.push({ name, child, log })
    },
    until: (condition, signal) => until(condition, components, signal),
    pid: (name) => components.find((each) => each.name === name)?.child.pid ?? Number.NaN,
    kill: async (name) => {
      for (const { child } of components.filter((each) => each.name === name)) await end(child)
    },
    end: async () => {
      await Promise.all(components.toReversed().map(({ child }) => end(child)))
    },
  }
}

async function until(
  condition: () => Promise<boolean>,
  components: readonly Component[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + readyMsMax
  while (!(await condition())) {
    signal.throwIfAborted()
    const ended = components.find(({ child }) => child.exitCode !== null || child.signalCode !== null)
    const late = performance.now() > deadline ? components.at(-1) : undefined
    const failed = ended ?? late
    if (failed) {
      const log = (await readFile(failed.log, 'utf8')).slice(-3000)
      throw new Error(`${failed.name} ${ended ? 'has ended' : `is not ready after ${readyMsMax / 1000} s`}:\n${log}`)
    }
    await sleep(100)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
