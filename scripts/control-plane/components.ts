// The processes that a cluster is made of: each with a log of its own, and all of them ended at once.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Components = {
  start(name: string, command: readonly [string, ...string[]]): void
  /** Waits for the condition, and says with the end of its log which component has ended before. */
  until(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void>
  /** At once and without a grace: nothing of them is kept. */
  end(): Promise<void>
}

type Component = { readonly name: string; readonly child: ChildProcess; readonly log: string }

/** Milliseconds: four seconds are usual on two idle cores. */
const patience = 120_000

/** Logs stand in this folder. */
export function createComponents(folder: string): Components {
  const components: Component[] = []
  return {
    start: (name, [program, ...args]) => {
      const log = path.join(folder, `${name}.log`)
      const file = openSync(log, 'w')
      // Those of ours end with their standard input, so also when this process is killed.
      const child = spawn(program, args, { stdio: ['pipe', file, file] })
      closeSync(file)
      components.push({ name, child, log })
    },
    until: (condition, signal) => until(condition, components, signal),
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
  const deadline = performance.now() + patience
  while (!(await condition())) {
    signal.throwIfAborted()
    const ended = components.find(({ child }) => child.exitCode !== null || child.signalCode !== null)
    const late = performance.now() > deadline ? components.at(-1) : undefined
    const blamed = ended ?? late
    if (blamed) {
      const words = (await readFile(blamed.log, 'utf8')).slice(-3000)
      throw new Error(`${blamed.name} ${ended ? 'has ended' : `is not ready after ${patience / 1000} s`}:\n${words}`)
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
