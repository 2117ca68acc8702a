// Runs a command with its streams beside a container's main process, for a client that takes part in it.
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@dayfly/kit/clock'
import {
  type CommandEnd,
  type CommandOrder,
  type CommandSession,
  type Sink,
  sessionOf,
} from '@dayfly/kit/command-session'
import { type Container, type ProcessContext, pause } from './follow.ts'
import { killGroup, spawnIn } from './spawn-in.ts'

/** How long to read output after the command has ended and while none comes. A process that it left behind may keep the output open. */
const drainMs = 1_000
/** How long a client may leave the output of a command that has ended unread. */
const unreadMs = 60_000

/**
 * Starts the command. Its process group is killed if `until` is aborted before its end, or with the container. Processes that it
 * leaves behind have the container's mark, so they end with the container, too.
 */
export function openSession(
  container: Container,
  order: CommandOrder,
  until: AbortSignal,
  { clock, leaving }: ProcessContext,
): CommandSession {
  if (until.aborted || leaving.aborted) return sessionOf({ is: 'failed', message: 'the client is gone' })
  const pipe = (isAsked: boolean) => (isAsked ? 'pipe' : 'ignore')
  const stdio = [pipe(order.stdin), pipe(order.stdout !== undefined), pipe(order.stderr !== undefined)] as const
  const spawned = spawnIn(container, order.command, [...stdio])
  if (spawned.is === 'refused') return sessionOf({ is: 'failed', message: notStarted(spawned.why) })
  const { child } = spawned
  child.stdin?.on('error', () => {})
  const exited = endOf(child)
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child)
  }
  const over = new AbortController()
  const stop = () => {
    kill()
    over.abort()
  }
  for (const signal of [until, leaving]) signal.addEventListener('abort', stop)
  container.sessions.add(kill)
  const output = outputOf(child, order)
  const finish = async (): Promise<CommandEnd> => {
    const end = await exited
    await delivered(output, clock, over.signal)
    for (const signal of [until, leaving]) signal.removeEventListener('abort', stop)
    container.sessions.delete(kill)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    return end
  }
  return { write: (data) => write(child.stdin, data), endInput: () => void child.stdin?.end(), ended: finish() }
}

/** The message of containerd for a command that cannot be started. */
function notStarted(why: string): string {
  return `failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: ${why}`
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ is: 'failed', message: notStarted(message) }))
    child.once('exit', (code, signal) => {
      resolve({ is: 'exited', exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) })
    })
  })
}

async function write(stdin: Writable | null, data: Uint8Array): Promise<void> {
  if (!stdin?.writable || stdin.write(data)) return
  await new Promise<void>((resolve) => {
    const end = () => {
      stdin.off('drain', end).off('close', end)
      resolve()
    }
    stdin.on('drain', end).on('close', end)
  })
}

/** The output on its way to the client. */
type Output = {
  /** The pieces that the client has taken. */
  taken: number
  /** The pieces that the client has not taken yet. */
  open: number
  /** Resolves when all output is delivered. */
  readonly whole: Promise<unknown>
}

function outputOf({ stdout, stderr }: ChildProcess, order: CommandOrder): Output {
  const output = { taken: 0, open: 0, whole: Promise.resolve<unknown>(undefined) }
  const pump = async (stream: Readable | null, sink: Sink | undefined) => {
    if (!stream || !sink) return
    try {
      for await (const piece of stream) {
        output.open++
        await sink(piece as Buffer)
        output.open--
        output.taken++
      }
    } catch {
      // The session is over, and the stream was closed before its end.
    }
  }
  output.whole = Promise.all([pump(stdout, order.stdout), pump(stderr, order.stderr)])
  return output
}

/** Waits until the client has the output of a command that has ended, as far as it comes and the client takes it. */
async function delivered(output: Output, clock: Clock, until: AbortSignal): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  void output.whole.then(end)
  until.addEventListener('abort', end)
  if (until.aborted) end()
  for (let before = -1, unreadForMs = 0; !over.signal.aborted && unreadForMs < unreadMs; unreadForMs += drainMs) {
    if (before === output.taken && output.open === 0) break
    if (before !== output.taken) unreadForMs = 0
    before = output.taken
    await pause(clock, drainMs, over.signal)
    // A stalled process runs its timers before it reads its pipes. One more turn reads the output that has arrived.
    await pause(clock, 0, over.signal)
  }
  until.removeEventListener('abort', end)
}
