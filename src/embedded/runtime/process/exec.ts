// Runs a command beside a container's main process, for a probe or hook.
import { spawn } from 'node:child_process'
import type { Clock, Timer } from '../../../lib/clock.ts'
import type { ExecResult } from '../runtime.ts'
import { findCommand } from './command.ts'
import type { Container } from './container.ts'
import { inNamespaceOf } from './mounts.ts'
import { readShim } from './shim.ts'

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
  clock: Clock,
): Promise<ExecResult> {
  const { environment, workingDirectory } = container
  const found = findCommand(
    command[0] ?? '',
    environment['DAYFLY_ROOT'] ?? '',
    workingDirectory,
    environment['PATH'] ?? '',
  )
  if (found.is === 'missing') return { is: 'failed', message: found.message }
  const { main } = readShim(container.directory)
  const plain = [found.path, ...command.slice(1)]
  const [program = '', ...args] = container.hasMounts && main !== undefined ? inNamespaceOf(main, plain) : plain
  const child = spawn(program, args, {
    cwd: workingDirectory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    if (output.length < outputBytesMax) output = (output + chunk.toString('utf8')).slice(0, outputBytesMax)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return await new Promise<ExecResult>((resolve) => {
    const timers: Timer[] = []
    const finish = (result: ExecResult) => {
      for (const timer of timers) timer.cancel()
      child.stdout.destroy()
      child.stderr.destroy()
      resolve(result)
    }
    const timeOut = () => {
      killGroup(child.pid)
      finish({ is: 'timed-out' })
    }
    if (timeoutMs !== undefined) timers.push(clock.after(timeoutMs, timeOut))
    child.once('error', (error) => finish({ is: 'failed', message: error.message }))
    child.once('exit', (code) => {
      const end = () => finish({ is: 'ended', exitCode: code ?? 137, output })
      child.once('close', end)
      timers.push(clock.after(drainMs, end))
    })
  })
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole process group has already ended.
  }
}
