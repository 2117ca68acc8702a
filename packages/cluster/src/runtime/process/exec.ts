// Runs a command beside a container's main process, for a probe or hook.
import type { Timer } from '@dayfly/kit/clock'
import type { ExecResult } from '../runtime.ts'
import type { Container, ProcessContext } from './follow.ts'
import { killGroup, spawnIn } from './spawn-in.ts'

const outputBytesMax = 10 * 1024

/**
 * How long to read output after the command has ended. A process that it left behind may keep the output open. All output of the
 * command is in the pipe by then, so only a busy machine needs more than a moment. The default timeout of a probe is as long.
 */
const drainMs = 1_000

/** Runs the command. Processes that it leaves behind have the container's mark, so they end with the container. */
export async function execIn(
  container: Container,
  command: readonly string[],
  timeoutMs: number | undefined,
  { clock, leaving }: ProcessContext,
): Promise<ExecResult> {
  const spawned = spawnIn(container, command, ['ignore', 'pipe', 'pipe'])
  if (spawned.is === 'refused') return { is: 'failed', message: spawned.message }
  const { child } = spawned
  let output = ''
  const collect = (chunk: Buffer) => {
    if (output.length < outputBytesMax) output = (output + chunk.toString('utf8')).slice(0, outputBytesMax)
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return await new Promise<ExecResult>((resolve) => {
    const timers: Timer[] = []
    const finish = (result: ExecResult) => {
      for (const timer of timers) timer.cancel()
      leaving.removeEventListener('abort', leave)
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve(result)
    }
    const timeOut = () => {
      killGroup(child)
      finish({ is: 'timed-out' })
    }
    const leave = () => {
      killGroup(child)
      finish({ is: 'failed', message: 'the runtime is closed' })
    }
    leaving.addEventListener('abort', leave)
    if (timeoutMs !== undefined) timers.push(clock.after(timeoutMs, timeOut))
    child.once('error', (error) => finish({ is: 'failed', message: error.message }))
    child.once('exit', (code) => {
      const end = () => finish({ is: 'ended', exitCode: code ?? 137, output })
      child.once('close', end)
      timers.push(clock.after(drainMs, end))
    })
  })
}
