// Runs the tests against each mutant, on as many engines as the machine has processors.
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Answer, Order } from './engine.ts'
import type { Mutant } from './mutants.ts'

/** `killedBy`: the test that fails, or `timeout`; undefined if the mutant survived. */
export type Verdict = { readonly mutant: Mutant; readonly killedBy: string | undefined }

export const timeout = 'timeout'

/** A run takes less than a second, on a busy machine a few. */
const limitMs = 60_000

/** Tests every mutant. Returns the verdicts in the order of the mutants. @param root the folder of the repository */
export async function testMutants(
  root: string,
  mutants: readonly Mutant[],
  progress: (verdict: Verdict) => void,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  const queue = mutants.entries()
  const engines = Array.from({ length: Math.min(availableParallelism(), mutants.length) }, async () => {
    let engine: Engine | undefined
    try {
      for (const [index, mutant] of queue) {
        engine ??= await Engine.start(root)
        const killedBy = await engine.test({ file: mutant.path, text: mutant.text })
        if (!engine.alive) engine = undefined
        const verdict = { mutant, killedBy }
        verdicts[index] = verdict
        progress(verdict)
      }
    } finally {
      engine?.stop()
    }
  })
  await Promise.all(engines)
  return verdicts
}

class Engine {
  readonly #child: ChildProcess

  private constructor(root: string) {
    const file = fileURLToPath(new URL('engine.ts', import.meta.url))
    this.#child = fork(file, { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  }

  /** Starts an engine, and makes sure that every test passes on the unchanged tree. */
  static async start(root: string): Promise<Engine> {
    const engine = new Engine(root)
    const killedBy = (await engine.#answer()).killedBy ?? (await engine.test(undefined))
    if (killedBy === undefined) return engine
    engine.stop()
    throw new Error(
      `the tests of the core fail without a mutation (${killedBy}); run npx vitest run packages/runner-set/src/core`,
    )
  }

  get alive(): boolean {
    return this.#child.connected
  }

  /** Returns what killed the mutant; undefined if it survived. An engine that a mutant stops is not alive afterwards. */
  async test(mutant: Order): Promise<string | undefined> {
    this.#child.send({ mutant })
    return (await this.#answer()).killedBy
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }

  /** Returns the next message of the child, or why it sends none. */
  #answer(): Promise<Answer> {
    const child = this.#child
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        clearTimeout(timer)
        child.removeAllListeners('message').removeAllListeners('exit')
        resolve(answer)
      }
      const timer = setTimeout(() => {
        child.disconnect()
        child.kill('SIGKILL')
        settle({ killedBy: timeout })
      }, limitMs)
      child.on('message', (message: Answer) => settle(message))
      child.on('exit', (code, signal) => settle({ killedBy: `the tests stopped with ${signal ?? code}` }))
    })
  }
}
