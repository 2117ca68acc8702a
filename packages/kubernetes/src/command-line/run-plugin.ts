// Runs the credential plugin of a kubeconfig. The plugin writes its questions and errors directly to the terminal.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '@dayfly/kit/clock'
import type { PluginAnswer, PluginHost } from '../credential-plugin.ts'

const charactersMax = 1024 * 1024
/** The maximum run time of a plugin that may not ask questions. */
const longestMs = 60_000

type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
  readonly clock: Clock
}

export function pluginHost({ environment, isTerminal, clock }: Surroundings): PluginHost {
  return {
    isTerminal,
    run: async ({ command, args, environment: own, interactive }) => {
      const stdin = interactive ? 'inherit' : 'ignore'
      try {
        const env = { ...environment, ...own }
        const child = spawn(command, args, { env, stdio: [stdin, 'pipe', 'inherit'] })
        return await collect(child, interactive ? undefined : clock)
      } catch (error) {
        // Node refuses some arguments, for example with null bytes.
        return { failed: error instanceof Error ? error.message : 'it cannot be started' }
      }
    },
  }
}

/** Collects the plugin's output. `clock` measures the run time of a plugin that may not ask questions. */
function collect(child: ChildProcess, clock: Clock | undefined): Promise<PluginAnswer> {
  return new Promise((resolve) => {
    let stdout = ''
    const finish = (answer: PluginAnswer) => {
      tooLong?.cancel()
      // Kills a plugin that still runs. This does nothing if it has ended.
      child.kill()
      child.stdout?.destroy()
      resolve(answer)
    }
    const tooLong = clock?.after(longestMs, () => finish({ failed: `it took longer than ${longestMs / 1000} s` }))
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      if (stdout.length > charactersMax) finish({ failed: 'it printed more than a credential' })
    })
    child.once('error', (error: NodeJS.ErrnoException) => finish({ failed: reasonOf(error) }))
    child.once('close', (code, signal) => finish(code === 0 ? { stdout } : { failed: endOf(code, signal) }))
  })
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it is not installed, or not in PATH'
  return code === 'EACCES' ? 'this user may not execute it' : message
}

function endOf(code: number | null, signal: string | null): string {
  return code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`
}
