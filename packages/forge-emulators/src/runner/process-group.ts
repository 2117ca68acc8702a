// Runs one command as the leader of its own process group, so that a signal reaches all processes that it started and no others.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock } from '@dayfly/kit/clock'
import { cutLines } from './lines.ts'

export type Command = {
  /** The absolute path of the program. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export type GroupWatch = {
  readonly clock: Clock
  /** Takes each line of stdout and stderr as it arrives. If it returns a promise, both streams wait for it. */
  onLine(line: string): Promise<void> | undefined
  /** When aborted, the group gets SIGINT, then SIGTERM, then SIGKILL. */
  readonly stop: AbortSignal
  /** Returns the milliseconds from SIGINT to SIGTERM, and from there to SIGKILL. Called when the stop begins. */
  stopDelays(): readonly [interrupt: number, terminate: number]
}

export type GroupEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly why: string }

/** How long to read after the last output. A background process may hold the pipes open forever. */
const quietMs = 300
/** How long to read at most after the leader's end, as the real runner does. */
const lingerMs = 5_000

/** Runs the command. Resolves when the leader has ended and its output is read; never rejects. */
export async function runGroup(command: Command, watch: GroupWatch): Promise<GroupEnd> {
  if (watch.stop.aborted) return { kind: 'stopped' }
  if (!existsSync(command.cwd)) return { kind: 'refused', why: `No such directory: '${command.cwd}'.` }
  const { file, args, cwd, env } = command
  let child: ChildProcess
  try {
    // A shell keeps PWD if it names the current directory. So $PWD equals $GITHUB_WORKSPACE even behind a symbolic link.
    child = spawn(file, args, { cwd, env: { ...env, PWD: cwd }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return refused(file, error)
  }
  const ended = new Promise<GroupEnd>((resolve) => {
    child.once('error', (error) => resolve(refused(file, error)))
    child.once('exit', (code, signal) => resolve({ kind: 'exited', code: code ?? 128 + signalNumber(signal) }))
  })
  const output = readOutput(child, watch)
  const stopListening = stopOnAbort(child, watch)
  const end = await ended
  stopListening()
  await output.finish()
  if (!watch.stop.aborted || end.kind === 'refused') return end
  // Kill group members that ignored the signals which ended the leader.
  signalGroup(child, 'SIGKILL')
  return { kind: 'stopped' }
}

/** Reads the output. `finish` resolves when all output is read, or when only a background process holds the pipes open. */
function readOutput(child: ChildProcess, { clock, onLine }: GroupWatch): { finish(): Promise<void> } {
  let activeAt = clock.now()
  let waiting = 0
  let listening = true
  const read = (stream: Readable): Promise<void> => {
    let hold: Promise<void> | undefined
    const cutter = cutLines((line) => {
      if (listening) hold = onLine(line) ?? hold
    })
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      // Output after `finish` is read and dropped, so that a background process does not fail with a closed pipe.
      if (!listening) return
      activeAt = clock.now()
      hold = undefined
      cutter.write(chunk)
      if (!hold) return
      stream.pause()
      waiting++
      void (hold as Promise<void>).then(() => {
        waiting--
        activeAt = clock.now()
        stream.resume()
      })
    })
    return new Promise((resolve) => {
      stream.once('close', () => {
        cutter.end()
        resolve()
      })
    })
  }
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => stream && read(stream)))
  const finish = async () => {
    const wait = new AbortController()
    void closed.then(() => wait.abort())
    activeAt = clock.now()
    const latest = activeAt + lingerMs
    const untilQuiet = () => (waiting > 0 ? latest : Math.min(activeAt + quietMs, latest))
    try {
      do {
        await clock.sleep(Math.max(untilQuiet() - clock.now(), 0), wait.signal)
        // A stalled process runs its timers before it reads its pipes. One more turn reads the output that has arrived.
        await clock.sleep(0, wait.signal)
      } while (clock.now() < untilQuiet())
    } catch {
      // Both streams are closed, so all output is read.
    }
    listening = false
  }
  return { finish }
}

function stopOnAbort(child: ChildProcess, { clock, stop, stopDelays }: GroupWatch): () => void {
  let timer: { cancel(): void } | undefined
  const begin = () => {
    const [interrupt, terminate] = stopDelays()
    signalGroup(child, 'SIGINT')
    timer = clock.after(interrupt, () => {
      signalGroup(child, 'SIGTERM')
      timer = clock.after(terminate, () => signalGroup(child, 'SIGKILL'))
    })
  }
  stop.addEventListener('abort', begin, { once: true })
  return () => {
    stop.removeEventListener('abort', begin)
    timer?.cancel()
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group no longer exists.
  }
}

function refused(file: string, error: unknown): GroupEnd {
  return { kind: 'refused', why: `'${file}' cannot be started: ${error instanceof Error ? error.message : error}.` }
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal]
}
