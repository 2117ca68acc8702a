// Runs the credential plugin of a kubeconfig. Its questions and complaints go to the person at the terminal, as they are.
import { type ChildProcess, spawn } from 'node:child_process'
import type { PluginAnswer, PluginHost } from '../kubernetes/credential-plugin.ts'
import type { Clock } from '../lib/clock.ts'

const lettersMax = 1024 * 1024
/** For a plugin that may not ask anybody. */
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
        // The host takes no such words, as a letter zero in them.
        return { failed: error instanceof Error ? error.message : 'it cannot be started' }
      }
    },
  }
}

/** `clock`: of a plugin that may not take for ever. */
function collect(child: ChildProcess, clock: Clock | undefined): Promise<PluginAnswer> {
  return new Promise((resolve) => {
    let stdout = ''
    const finish = (answer: PluginAnswer) => {
      tooLong?.cancel()
      // Of one that has ended nothing is left to end.
      child.kill()
      child.stdout?.destroy()
      resolve(answer)
    }
    const tooLong = clock?.after(longestMs, () => finish({ failed: `it took longer than ${longestMs / 1000} s` }))
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      if (stdout.length > lettersMax) finish({ failed: 'it printed more than a credential' })
    })
    child.once('error', (error: NodeJS.ErrnoException) => finish({ failed: reasonOf(error) }))
    child.once('close', (code, signal) => finish(code === 0 ? { stdout } : { failed: endOf(code, signal) }))
  })
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it is not installed, or not in PATH'
  return code === 'EACCES' ? 'it may not be run' : message
}

function endOf(code: number | null, signal: string | null): string {
  return code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`
}
